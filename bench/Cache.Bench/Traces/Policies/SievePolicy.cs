namespace Cache.Bench.Traces.Policies;

/// <summary>SIEVE: a queue, and a hand that goes over it and takes what was not used since it came by.</summary>
/// <remarks>Source: Zhang et al., NSDI'24, algorithm 1.</remarks>
internal sealed class SievePolicy(int ids, int capacity) : IEntryPolicy
{
    private const int All = 1;

    private readonly IdLists _lists = new(ids, All);
    private readonly bool[] _isUsed = new bool[ids];
    private int _hand = IdLists.NoId;

    public bool Access(int id)
    {
        if (_lists.ListOf(id) == All)
        {
            _isUsed[id] = true;
            return true;
        }

        if (_lists.Count(All) == capacity)
            Evict();
        _lists.Move(id, All);
        _isUsed[id] = false;
        return false;
    }

    private void Evict()
    {
        int id = _hand == IdLists.NoId ? _lists.Oldest(All) : _hand;
        while (_isUsed[id])
        {
            _isUsed[id] = false;
            id = _lists.NewerThan(id);
            if (id == IdLists.NoId)
                id = _lists.Oldest(All);
        }

        _hand = _lists.NewerThan(id);
        _lists.Remove(id);
    }
}
