using Cache.Core;
using Cache.Core.Distributed;

namespace Cache.Bench.Subjects;

/// <summary>The store behind the framework's distributed cache.</summary>
internal sealed class StoreDoorSubject : DistributedSubject
{
    private readonly CacheStore _store;

    public StoreDoorSubject(int keys, int valueLength)
        : this(new CacheStore(StoreSubject.OptionsFor(keys, valueLength)))
    {
    }

    private StoreDoorSubject(CacheStore store)
        : base("door", new DistributedStore(store)) => _store = store;

    public override long Count => _store.Count;

    public override void Dispose()
    {
        long evictions = _store.GetStatistics().Evictions;
        _store.Dispose();
        if (evictions > 0)
            throw new WrongAnswerException($"The store evicted {evictions} entries below its limit.");
    }
}
