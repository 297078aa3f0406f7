namespace Cache.Bench.Traces.Policies;

/// <summary>S3-FIFO, entry by entry, with a small list of a fixed share.</summary>
/// <remarks>Source: Yang et al., SOSP'23; two uses promote, ghosts are as many as entries.</remarks>
internal sealed class S3FifoPolicy(int ids, int capacity, double share) : IEntryPolicy
{
    private const int Small = 1;
    private const int Main = 2;
    private const int Ghosts = 3;
    private const int UsesMax = 3;
    private const int Promotion = 2;

    private readonly IdLists _lists = new(ids, Ghosts);
    private readonly byte[] _uses = new byte[ids];

    public bool Access(int id)
    {
        int list = _lists.ListOf(id);
        if (list is Small or Main)
        {
            _uses[id] = (byte)Math.Min(UsesMax, _uses[id] + 1);
            return true;
        }

        while (_lists.Count(Small) + _lists.Count(Main) >= capacity)
            Evict();
        _lists.Move(id, _lists.ListOf(id) == Ghosts ? Main : Small);
        _uses[id] = 0;
        return false;
    }

    private void Evict()
    {
        int small = _lists.Count(Small);
        if (_lists.Count(Main) == 0 || (small > 0 && small >= share * capacity))
            EvictSmall(_lists.Oldest(Small));
        else
            EvictMain(_lists.Oldest(Main));
    }

    private void EvictSmall(int id)
    {
        bool stays = _uses[id] >= Promotion;
        _uses[id] = 0;
        _lists.Move(id, stays ? Main : Ghosts);
        if (_lists.Count(Ghosts) > capacity)
            _lists.Remove(_lists.Oldest(Ghosts));
    }

    private void EvictMain(int id)
    {
        if (_uses[id] == 0)
        {
            _lists.Remove(id);
            return;
        }

        _uses[id]--;
        _lists.Move(id, Main);
    }
}
