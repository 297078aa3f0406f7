using Cache.Core;
using Cache.Durability.Dumps;
using Cache.Durability.Format;
using Cache.Durability.Rdb;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>What of an RDB file is taken, and what is not, with the reason.</summary>
internal sealed class DumpCounts(long nowMs)
{
    private readonly SortedDictionary<string, long> _skipped = new(StringComparer.Ordinal);
    private long _expired;
    private string _origin = "";

    /// <summary>The number of entries that were taken.</summary>
    public long Taken { get; private set; }

    /// <summary>Whether an entry is taken; it is counted.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="fits">Whether it is no collection that is too long.</param>
    public bool Takes(in RdbEntry entry, bool fits)
    {
        if (entry.ExpiresAtMs is { } moment && moment <= nowMs)
            _expired++;
        else if (entry.Database >= CacheOptions.KeyspaceCountMax)
            Skip($"of a database behind {CacheOptions.KeyspaceCountMax - 1}, the last one here");
        else if (entry.Key.Length > RecordLayout.KeyLengthMax)
            Skip($"with a key of more than {RecordLayout.KeyLengthMax} bytes");
        else if (!fits)
            Skip($"of type {DumpCollection.NameOf(entry.Kind)} {DumpCollection.TooLong}");
        else
            return Take();
        return false;
    }

    /// <summary>Called after the last entry.</summary>
    public void NoteEnd(RdbReader reader)
    {
        foreach (var (name, count) in reader.Skipped)
            _skipped[$"of type {name}"] = count;
        string version = reader.Auxiliaries.TryGetValue("redis-ver", out string? text) ? $", of Redis {text}" : "";
        string sum = reader.IsChecksummed ? "" : ", without a checksum: damage may have gone unnoticed";
        _origin = $"RDB version {reader.Version}{version}{sum}.";
    }

    public void Print(Report output)
    {
        output.Line(_origin);
        if (_expired != 0)
            output.Line($"not taken: {_expired:n0} that have expired.");
        foreach (var (what, count) in _skipped)
            output.Line($"not taken: {count:n0} {what}.");
    }

    private bool Take()
    {
        Taken++;
        return true;
    }

    private void Skip(string what) => _skipped[what] = _skipped.GetValueOrDefault(what) + 1;
}
