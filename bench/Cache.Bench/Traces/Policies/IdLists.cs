namespace Cache.Bench.Traces.Policies;

/// <summary>Lists of ids from the oldest to the newest; an id is in one of them at most.</summary>
/// <remarks>Ids are dense, so that links are arrays by id. List 0 is none: what was never added is there.</remarks>
internal sealed class IdLists
{
    public const int NoList = 0;
    public const int NoId = -1;

    private readonly int[] _older;
    private readonly int[] _newer;
    private readonly byte[] _listOf;
    private readonly int[] _oldest;
    private readonly int[] _newest;
    private readonly int[] _count;

    /// <param name="ids">One more than the largest id.</param>
    /// <param name="lists">The number of the last list; the first is 1.</param>
    public IdLists(int ids, int lists)
    {
        _older = new int[ids];
        _newer = new int[ids];
        _listOf = new byte[ids];
        _oldest = new int[lists + 1];
        _newest = new int[lists + 1];
        _count = new int[lists + 1];
        Array.Fill(_oldest, NoId);
        Array.Fill(_newest, NoId);
    }

    public int ListOf(int id) => _listOf[id];

    public int Count(int list) => _count[list];

    public int Oldest(int list) => _oldest[list];

    public int NewerThan(int id) => _newer[id];

    /// <summary>Puts an id at the new end of a list, and takes it out of the list in which it was.</summary>
    public void Move(int id, int list)
    {
        Remove(id);
        _listOf[id] = (byte)list;
        _older[id] = _newest[list];
        _newer[id] = NoId;
        if (_newest[list] == NoId)
            _oldest[list] = id;
        else
            _newer[_newest[list]] = id;
        _newest[list] = id;
        _count[list]++;
    }

    public void Remove(int id)
    {
        int list = _listOf[id];
        if (list == NoList)
            return;
        if (_older[id] == NoId)
            _oldest[list] = _newer[id];
        else
            _newer[_older[id]] = _newer[id];
        if (_newer[id] == NoId)
            _newest[list] = _older[id];
        else
            _older[_newer[id]] = _older[id];
        _listOf[id] = NoList;
        _count[list]--;
    }
}
