namespace Cache.Bench.ServerLoad;

/// <summary>Sets every key once: this connection every so many keys, the others those between.</summary>
internal sealed class SequentialSets(long first, long step, long keys) : CommandSource
{
    private long _next = first;

    public override bool TryNext(out long id, out bool isSet)
    {
        id = _next;
        isSet = true;
        _next += step;
        return id < keys;
    }
}
