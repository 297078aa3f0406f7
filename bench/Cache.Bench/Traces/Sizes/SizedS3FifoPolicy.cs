namespace Cache.Bench.Traces.Sizes;

/// <summary>S3-FIFO by bytes, with a small list of a fixed share.</summary>
/// <remarks>
/// Source: Yang et al., SOSP'23; two uses promote, ghosts are as many as entries, of both lists as in the store. With
/// classes of size a small entry needs one use less to come into main, a long one needs one more for that and to stay.
/// </remarks>
internal sealed class SizedS3FifoPolicy(int[] sizes, long capacity, double share, bool hasClasses) : ISizedPolicy
{
    private const int Small = 1;
    private const int Main = 2;
    private const int Ghosts = 3;
    private const int UsesMax = 3;
    private const int Promotion = 2;

    private readonly SizedLists _lists = new(sizes, Ghosts);
    private readonly byte[] _uses = new byte[sizes.Length];
    private UsualSize _usual;

    public long Bytes => _lists.Bytes(Small) + _lists.Bytes(Main);

    private int Count => _lists.Count(Small) + _lists.Count(Main);

    public bool Access(int id)
    {
        int list = _lists.ListOf(id);
        if (list is Small or Main)
        {
            _uses[id] = (byte)Math.Min(UsesMax, _uses[id] + 1);
            return true;
        }

        if (sizes[id] > capacity)
            return false;
        while (Bytes + sizes[id] > capacity)
            Evict();
        _lists.Move(id, _lists.ListOf(id) == Ghosts ? Main : Small);
        _uses[id] = 0;
        return false;
    }

    private void Evict()
    {
        bool isSmall = _lists.Count(Small) > 0
            && (_lists.Count(Main) == 0 || _lists.Bytes(Small) > share * Bytes);
        int id = _lists.Oldest(isSmall ? Small : Main);
        int more = hasClasses ? _usual.ClassOf(sizes[id]) : 0;
        bool stays = _uses[id] >= (isSmall ? Promotion + more : 1 + Math.Max(0, more));
        _uses[id] = (byte)(isSmall ? 0 : Math.Max(0, _uses[id] - 1));
        _lists.Move(id, stays ? Main : Ghosts);
        while (_lists.Count(Ghosts) > Math.Max(1, Count))
            _lists.Remove(_lists.Oldest(Ghosts));
    }
}
