namespace Cache.Bench.Traces.Policies;

/// <summary>ARC: a list of what was used once and one of the rest; their sizes follow the ghosts.</summary>
/// <remarks>Source: Megiddo and Modha, FAST'03, figure 4.</remarks>
internal sealed class ArcPolicy(int ids, int capacity) : IEntryPolicy
{
    private const int Once = 1;
    private const int More = 2;
    private const int OnceGhosts = 3;
    private const int MoreGhosts = 4;

    private readonly IdLists _lists = new(ids, MoreGhosts);
    private double _target; // Of the entries that were used once.

    private double Ghosts(int list) => Math.Max(1, _lists.Count(list));

    public bool Access(int id)
    {
        switch (_lists.ListOf(id))
        {
            case Once or More:
                _lists.Move(id, More);
                return true;
            case OnceGhosts:
                _target = Math.Min(capacity, _target + Math.Max(1, Ghosts(MoreGhosts) / Ghosts(OnceGhosts)));
                Replace(isMoreGhost: false);
                _lists.Move(id, More);
                return false;
            case MoreGhosts:
                _target = Math.Max(0, _target - Math.Max(1, Ghosts(OnceGhosts) / Ghosts(MoreGhosts)));
                Replace(isMoreGhost: true);
                _lists.Move(id, More);
                return false;
            default:
                MakeRoom();
                _lists.Move(id, Once);
                return false;
        }
    }

    private void MakeRoom()
    {
        int once = _lists.Count(Once) + _lists.Count(OnceGhosts);
        int all = once + _lists.Count(More) + _lists.Count(MoreGhosts);
        if (once == capacity)
        {
            if (_lists.Count(Once) == capacity)
            {
                _lists.Remove(_lists.Oldest(Once));
                return;
            }

            _lists.Remove(_lists.Oldest(OnceGhosts));
            Replace(isMoreGhost: false);
        }
        else if (all >= capacity)
        {
            if (all == 2 * capacity)
                _lists.Remove(_lists.Oldest(MoreGhosts));
            Replace(isMoreGhost: false);
        }
    }

    private void Replace(bool isMoreGhost)
    {
        int once = _lists.Count(Once);
        if (once > 0 && (once > _target || (isMoreGhost && once == (int)_target)))
            _lists.Move(_lists.Oldest(Once), OnceGhosts);
        else
            _lists.Move(_lists.Oldest(More), MoreGhosts);
    }
}
