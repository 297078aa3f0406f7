using System.Collections.Concurrent;
using System.Diagnostics;
using Cache.Server.Clients;

namespace Cache.Server.Tracking;

/// <summary>The prefixes of broadcasts. Thread-safe.</summary>
/// <remarks>
/// A changed key is looked up once for each length that prefixes have. The prefixes with changes are listed until these
/// are sent; a thread that finds some waits for another that sends, so that they have been sent when it goes on.
/// </remarks>
internal sealed class PrefixTable
{
    private readonly Lock _gate = new();
    private readonly ConcurrentDictionary<byte[], TrackedPrefix> _prefixes = new(new PrefixComparer());
    private readonly ConcurrentDictionary<byte[], TrackedPrefix>.AlternateLookup<ReadOnlySpan<byte>> _byBytes;

    // The lengths in ascending order, and how many prefixes have each.
    private readonly SortedDictionary<int, int> _counts = [];
    private volatile int[] _lengths = [];

    // Under its gate: those with changes.
    private readonly Lock _changing = new();
    private readonly Lock _sending = new();
    private List<TrackedPrefix> _changed = [];
    private List<TrackedPrefix> _sent = [];
    private volatile bool _hasAny;

    public PrefixTable() => _byBytes = _prefixes.GetAlternateLookup<ReadOnlySpan<byte>>();

    /// <summary>The number of prefixes.</summary>
    public int Count => _prefixes.Count;

    /// <summary>Whether there are changes that are not yet sent.</summary>
    public bool HasAny => _hasAny;

    /// <summary>A client of a prefix with changes; null: none is there any more.</summary>
    public ClientSession? FindAnyClient()
    {
        lock (_changing)
        {
            foreach (var prefix in _changed)
            {
                if (prefix.Clients is [var client, ..]) // Read once: its last client may go now.
                    return client;
            }
        }

        return null;
    }

    /// <summary>Gives a client a prefix.</summary>
    public void Add(ClientSession client, byte[] prefix)
    {
        lock (_gate)
        {
            if (!_prefixes.TryGetValue(prefix, out var tracked))
            {
                tracked = new TrackedPrefix(prefix, Begin);
                CountLength(prefix.Length, 1);
                _prefixes[prefix] = tracked;
            }

            tracked.Add(client);
        }
    }

    /// <summary>Takes prefixes from a client.</summary>
    public void Remove(ClientSession client, IReadOnlyList<byte[]> prefixes)
    {
        lock (_gate)
        {
            foreach (byte[] prefix in prefixes)
            {
                if (!_prefixes.TryGetValue(prefix, out var tracked) || !tracked.Remove(client))
                    continue;
                _prefixes.TryRemove(prefix, out _);
                CountLength(prefix.Length, -1);
            }
        }
    }

    /// <summary>Notes a changed key. Waits for nothing but an addition.</summary>
    public void Note(ReadOnlySpan<byte> key, long writer)
    {
        foreach (int length in _lengths)
        {
            if (length > key.Length)
                return;
            if (_byBytes.TryGetValue(key[..length], out var prefix))
                prefix.Note(key, writer);
        }
    }

    /// <summary>Sends the changes; when it returns, those that were noted before have been sent.</summary>
    /// <param name="send">Called for each prefix with changes, in the order of the prefixes.</param>
    public void Send(Action<TrackedPrefix, ChangedKeys> send)
    {
        lock (_sending)
        {
            var taken = Take();
            taken.Sort(static (one, other) => one.Prefix.AsSpan().SequenceCompareTo(other.Prefix));
            foreach (var prefix in taken)
                send(prefix, prefix.Take());
            lock (_changing)
                _hasAny = _changed.Count > 0;
        }
    }

    private List<TrackedPrefix> Take()
    {
        Debug.Assert(_sending.IsHeldByCurrentThread);
        _sent.Clear();
        lock (_changing)
        {
            (_changed, _sent) = (_sent, _changed);
            return _sent;
        }
    }

    // Under the gate of the prefix.
    private void Begin(TrackedPrefix prefix)
    {
        lock (_changing)
        {
            _changed.Add(prefix);
            _hasAny = true;
        }
    }

    private void CountLength(int length, int more)
    {
        int count = _counts.GetValueOrDefault(length) + more;
        if (count > 0)
            _counts[length] = count;
        else
            _counts.Remove(length);
        _lengths = [.. _counts.Keys];
    }
}
