namespace Cache.Bench.Traces.Policies;

/// <summary>What was used longest ago is evicted.</summary>
internal sealed class LruPolicy(int ids, int capacity) : IEntryPolicy
{
    private const int All = 1;

    private readonly IdLists _lists = new(ids, All);

    public bool Access(int id)
    {
        bool isHit = _lists.ListOf(id) == All;
        if (!isHit && _lists.Count(All) == capacity)
            _lists.Remove(_lists.Oldest(All));
        _lists.Move(id, All);
        return isHit;
    }
}
