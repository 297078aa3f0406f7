using Cache.Bench.Traces.Policies;

namespace Cache.Bench.Traces.Sizes;

/// <summary>Lists of ids, with the bytes of each list.</summary>
/// <param name="sizes">The bytes of each id.</param>
/// <param name="lists">The number of the last list; the first is 1.</param>
internal sealed class SizedLists(int[] sizes, int lists)
{
    private readonly IdLists _lists = new(sizes.Length, lists);
    private readonly long[] _bytes = new long[lists + 1];

    public int ListOf(int id) => _lists.ListOf(id);

    public int Count(int list) => _lists.Count(list);

    public long Bytes(int list) => _bytes[list];

    public int Oldest(int list) => _lists.Oldest(list);

    public int NewerThan(int id) => _lists.NewerThan(id);

    /// <summary>Puts an id at the new end of a list, and takes it out of the list in which it was.</summary>
    public void Move(int id, int list)
    {
        _bytes[ListOf(id)] -= sizes[id];
        _bytes[list] += sizes[id];
        _lists.Move(id, list);
    }

    public void Remove(int id)
    {
        _bytes[ListOf(id)] -= sizes[id];
        _bytes[IdLists.NoList] += sizes[id];
        _lists.Remove(id);
    }
}
