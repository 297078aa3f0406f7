namespace Cache.Bench.Traces.Policies;

/// <summary>2Q: a short queue of new entries, and what comes back after it in a list by last use.</summary>
/// <remarks>Source: Johnson and Shasha, VLDB'94, the full version with its sizes of a quarter and a half.</remarks>
internal sealed class TwoQueuePolicy(int ids, int capacity) : IEntryPolicy
{
    private const int New = 1;
    private const int Main = 2;
    private const int Ghosts = 3;

    private readonly IdLists _lists = new(ids, Ghosts);
    private readonly int _newMax = Math.Max(1, capacity / 4);
    private readonly int _ghostsMax = Math.Max(1, capacity / 2);

    public bool Access(int id)
    {
        switch (_lists.ListOf(id))
        {
            case Main:
                _lists.Move(id, Main);
                return true;
            case New:
                return true;
            case Ghosts:
                MakeRoom();
                _lists.Move(id, Main);
                return false;
            default:
                MakeRoom();
                _lists.Move(id, New);
                return false;
        }
    }

    private void MakeRoom()
    {
        if (_lists.Count(New) + _lists.Count(Main) < capacity)
            return;
        if (_lists.Count(New) <= _newMax && _lists.Count(Main) > 0)
        {
            _lists.Remove(_lists.Oldest(Main));
            return;
        }

        _lists.Move(_lists.Oldest(New), Ghosts);
        if (_lists.Count(Ghosts) > _ghostsMax)
            _lists.Remove(_lists.Oldest(Ghosts));
    }
}
