using Cache.Server.Settings;

namespace Cache.Server.Security;

/// <summary>
/// The last denied requests, the youngest first; equal ones within a minute are one entry. Thread-safe.
/// </summary>
internal sealed class AclLog
{
    /// <summary>The most entries that a client may ask for: their keys may be long.</summary>
    public const int LengthMax = SettingBounds.AclLogLengthMax;

    // As in Redis: within this time, equal denials are one entry.
    private const long GroupingMs = 60_000;

    // As in Redis: the number of latest entries that are compared, and the bytes of a key or name that are kept.
    private const int ComparedCount = 10;
    private const int CharactersMax = 1024;

    private readonly Lock _lock = new();
    private readonly LinkedList<AclLogEntry> _entries = [];

    /// <summary>Adds a denial, or counts it in an equal entry; long names are truncated.</summary>
    /// <param name="denied">The denial: its client, object and time.</param>
    /// <param name="lengthMax">At most this many of the latest entries are kept.</param>
    public void Add(AclLogEntry denied, int lengthMax)
    {
        denied = denied with { Object = Shorten(denied.Object), UserName = Shorten(denied.UserName) };
        lock (_lock)
        {
            var entry = Take(denied);
            entry.AtMs = denied.AtMs;
            entry.Client = denied.Client;
            _entries.AddFirst(entry);
            while (_entries.Count > lengthMax)
                _entries.RemoveLast();
        }
    }

    /// <summary>The youngest entries, copied.</summary>
    public List<AclLogEntry> GetLast(long count)
    {
        var entries = new List<AclLogEntry>();
        lock (_lock)
        {
            foreach (var entry in _entries)
            {
                if (entries.Count >= count)
                    break;
                entries.Add(entry with { });
            }
        }

        return entries;
    }

    public void Clear()
    {
        lock (_lock)
            _entries.Clear();
    }

    /// <summary>The part of a key or a name that is kept, so that callers convert no more than that to text.</summary>
    public static ReadOnlySpan<byte> Shorten(ReadOnlySpan<byte> bytes) =>
        bytes.Length <= CharactersMax ? bytes : bytes[..CharactersMax];

    private static string Shorten(string text) => text.Length <= CharactersMax ? text : text[..CharactersMax];

    /// <summary>The equal entry, removed from the list; or the new entry itself.</summary>
    private AclLogEntry Take(AclLogEntry next)
    {
        int compared = 0;
        for (var node = _entries.First; node is not null && compared < ComparedCount; node = node.Next, compared++)
        {
            var entry = node.Value;
            if (entry.Denial != next.Denial || entry.Object != next.Object || entry.UserName != next.UserName
                || entry.Place != next.Place || next.AtMs - entry.AtMs > GroupingMs)
                continue;
            _entries.Remove(node);
            entry.Count++;
            return entry;
        }

        return next;
    }
}
