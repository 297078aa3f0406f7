using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Reliability.Tests.Fuzz;

namespace Cache.Reliability.Tests.Simulation;

/// <summary>
/// A user in the process, beside the clients: its entries expire when they were not read for a while, and some at a
/// last moment of either clock too.
/// </summary>
/// <param name="store">The store.</param>
/// <param name="model">Knows what the clocks show; the entries are not its.</param>
/// <param name="random">Decides.</param>
internal sealed class SimulatedUser(CacheStore store, SimulationModel model, Random random)
{
    private const int Keys = 30;
    private const int LengthMax = 200;

    // A part of the interval, less what the store's coarse time may be late.
    private const int RenewalDivisor = 128;
    private const int TickMs = 10;

    private readonly Dictionary<string, Entry> _entries = [];

    /// <summary>Writes, removes or reads an entry; nothing is evicted meanwhile but by the write.</summary>
    /// <exception cref="FuzzFailureException">It is not as it was written, or was told to go.</exception>
    public void Step()
    {
        string key = string.Create(CultureInfo.InvariantCulture, $"user:{random.Next(Keys)}");
        switch (random.Next(8))
        {
            case 0 or 1 or 2:
                Write(key);
                break;
            case 3:
                Remove(key);
                break;
            default:
                Read(key);
                break;
        }
    }

    /// <summary>Forgets entries that are gone although nobody removed them.</summary>
    /// <returns>How many.</returns>
    public int TakeEvictions()
    {
        string[] gone = [.. _entries.Keys.Where(key => IsLive(key) && !IsThere(key))];
        foreach (string key in gone)
            _entries.Remove(key);
        return gone.Length;
    }

    public void Clear() => _entries.Clear();

    public void RemoveAll()
    {
        foreach (string key in _entries.Keys.ToArray())
            Remove(key);
    }

    /// <summary>The keys of entries that have expired and may come again when the wall clock is set.</summary>
    public string[] FindPast() => [.. _entries.Keys.Where(key => !IsLive(key))];

    /// <summary>Of these, those that come again live on, unless the store has removed them meanwhile.</summary>
    public void NoteWallClock(string[] past)
    {
        foreach (string key in past.Where(key => IsLive(key) && !IsThere(key)))
            _entries.Remove(key);
    }

    private void Write(string key)
    {
        byte[] value = new byte[random.Next(LengthMax)];
        long slidingMs = LifeMs();
        var last = random.Next(3) switch
        {
            0 => default,
            1 => new SimulatedExpiry(model.NowMs + LifeMs(), IsOfWall: false),
            _ => new SimulatedExpiry(model.NowMs + model.WallOffsetMs + LifeMs() - 5, IsOfWall: true),
        };
        var options = new EntryOptions
        {
            SlidingMs = slidingMs,
            ExpiresAtMs = last.IsOfWall ? 0 : last.AtMs,
            ExpiresAtUnixMs = last.IsOfWall ? last.AtMs : 0,
        };
        if (store.Set(Encoding.Latin1.GetBytes(key), value, options) == WriteStatus.Done)
            _entries[key] = new Entry(value.Length, slidingMs, model.NowMs + slidingMs, last);
        else if (store.Eviction == EvictionPolicy.AllEntries)
            throw new FuzzFailureException($"{key} of {value.Length} bytes was refused.");
    }

    private void Remove(string key)
    {
        if (store.Remove(Encoding.Latin1.GetBytes(key)) != IsLive(key))
            throw new FuzzFailureException($"The removal of {key} did not find what it should.");
        _entries.Remove(key);
    }

    private void Read(string key)
    {
        bool isLive = IsLive(key);
        if (isLive && (!store.TryPeekInfo(Encoding.Latin1.GetBytes(key), out var info)
            || info.ExpiresAtMs != EndMsOf(_entries[key])))
        {
            throw new FuzzFailureException($"{key} ends at {info.ExpiresAtMs}, not {EndMsOf(_entries[key])}.");
        }

        byte[]? value = store.GetArray(Encoding.Latin1.GetBytes(key));
        if ((value is not null) != isLive || (isLive && value!.Length != _entries[key].Length))
            throw new FuzzFailureException($"{key} has {value?.Length} bytes; it is live: {isLive}.");
        if (isLive && IsRenewedBy(_entries[key]))
            _entries[key] = _entries[key] with { UntilMs = model.NowMs + _entries[key].SlidingMs };
    }

    // A read renews where the deadline moves by more than a part of the interval (EntryOptions.SlidingMs).
    private bool IsRenewedBy(in Entry entry)
    {
        long latestMs = entry.Last.IsNever || entry.Last.IsOfWall ? long.MaxValue : entry.Last.AtMs;
        long movedMs =
            Math.Min(model.NowMs + entry.SlidingMs, latestMs) - Math.Min(entry.UntilMs, latestMs);
        return movedMs > Math.Max(entry.SlidingMs / RenewalDivisor - TickMs, -1);
    }

    private bool IsLive(string key) => _entries.TryGetValue(key, out var entry) && EndMsOf(entry) > model.NowMs;

    private bool IsThere(string key) => store.TryPeekInfo(Encoding.Latin1.GetBytes(key), out _);

    private long EndMsOf(in Entry entry) =>
        entry.Last.IsNever ? entry.UntilMs : Math.Min(entry.UntilMs, model.StoreMsOf(entry.Last));

    private long LifeMs() => (long)Math.Pow(10, random.NextDouble() * 7) + 1;

    /// <summary>What was written, and until when it lives if it is not read again.</summary>
    private readonly record struct Entry(int Length, long SlidingMs, long UntilMs, SimulatedExpiry Last);
}
