namespace Cache.Bench.Traces.Sizes;

/// <summary>What was used longest ago is evicted, until the new entry fits.</summary>
internal sealed class SizedLruPolicy(int[] sizes, long capacity) : ISizedPolicy
{
    private const int All = 1;

    private readonly SizedLists _lists = new(sizes, All);

    public long Bytes => _lists.Bytes(All);

    public bool Access(int id)
    {
        bool isHit = _lists.ListOf(id) == All;
        if (!isHit && sizes[id] > capacity)
            return false;
        while (!isHit && Bytes + sizes[id] > capacity)
            _lists.Remove(_lists.Oldest(All));
        _lists.Move(id, All);
        return isHit;
    }
}
