using Cache.Bench.ServerLoad;
using Cache.Bench.Subjects;
using Cache.Testing;

namespace Cache.Bench.Traces;

/// <summary>One connection's share of a replay: batches of GETs, after each batch a SET for every miss.</summary>
/// <remarks>A batch ends before an id that it holds: none is asked for twice before it was set.</remarks>
internal sealed class TraceReplay(RespConnection connection, uint[] ids, int valueLength, int pipeline)
{
    private const int KeyLength = 16;

    private readonly byte[] _key = "key:000000000000"u8.ToArray();
    private readonly byte[] _value = new byte[valueLength];
    private readonly HashSet<uint> _batch = [];
    private readonly List<uint> _misses = [];

    public long Hits { get; private set; }

    public void Run()
    {
        using (connection)
        {
            for (int start = 0; start < ids.Length;)
            {
                int end = EndOfBatch(start);
                Replay(ids.AsSpan(start, end - start));
                start = end;
            }
        }
    }

    private int EndOfBatch(int start)
    {
        _batch.Clear();
        int end = start;
        while (end < ids.Length && end - start < pipeline && _batch.Add(ids[end]))
            end++;
        return end;
    }

    private void Replay(ReadOnlySpan<uint> batch)
    {
        foreach (uint id in batch)
            connection.AddGet(KeyOf(id));
        connection.Send();
        _misses.Clear();
        foreach (uint id in batch)
            Take(id);
        if (_misses.Count == 0)
            return;
        foreach (uint id in _misses)
            connection.AddSet(KeyOf(id), ValueOf(id));
        connection.Send();
        for (int i = 0; i < _misses.Count; i++)
            connection.ReadOk();
    }

    private void Take(uint id)
    {
        if (!connection.ReadValue(out var value))
        {
            _misses.Add(id);
            return;
        }

        if (!value.SequenceEqual(ValueOf(id)))
        {
            throw new WrongAnswerException(
                $"The value of id {id} is not the one that was set. Was the server empty at first?");
        }

        Hits++;
    }

    private ReadOnlySpan<byte> KeyOf(uint id)
    {
        for (int i = KeyLength - 1; i >= 4; i--, id /= 10)
            _key[i] = (byte)('0' + id % 10);
        return _key;
    }

    // The key, again and again: a foreign value shows.
    private ReadOnlySpan<byte> ValueOf(uint id)
    {
        var key = KeyOf(id);
        for (int i = 0; i < _value.Length; i++)
            _value[i] = key[KeyLength - 1 - i % KeyLength];
        return _value;
    }
}
