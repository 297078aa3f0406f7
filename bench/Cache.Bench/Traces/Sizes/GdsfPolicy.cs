namespace Cache.Bench.Traces.Sizes;

/// <summary>
/// GDSF: the entry with the fewest uses for its bytes goes, counted from what the last one had that went.
/// </summary>
/// <remarks>
/// Each miss costs the same, which is the form for object hits. Of equal ones that goes whose turn was longest ago.
/// Source: Cherkasova, HPL-98-69R1.
/// </remarks>
internal sealed class GdsfPolicy(int[] sizes, long capacity) : ISizedPolicy
{
    private readonly SortedSet<Place> _order = [];
    private readonly Place[] _places = new Place[sizes.Length];
    private readonly int[] _uses = new int[sizes.Length]; // 0: it is not there.
    private double _age;
    private long _turn;

    public long Bytes { get; private set; }

    public bool Access(int id)
    {
        bool isHit = _uses[id] > 0;
        if (isHit)
            _order.Remove(_places[id]);
        else if (sizes[id] > capacity)
            return false;
        else
            MakeRoom(sizes[id]);
        double score = _age + (double)++_uses[id] / sizes[id];
        _places[id] = new Place(score, ++_turn, id);
        _order.Add(_places[id]);
        return isHit;
    }

    private void MakeRoom(int bytes)
    {
        while (Bytes + bytes > capacity)
        {
            var victim = _order.Min;
            _order.Remove(victim);
            _age = victim.Score;
            _uses[victim.Id] = 0;
            Bytes -= sizes[victim.Id];
        }

        Bytes += bytes;
    }

    private readonly record struct Place(double Score, long Turn, int Id) : IComparable<Place>
    {
        public int CompareTo(Place other)
        {
            int order = Score.CompareTo(other.Score);
            return order != 0 ? order : Turn.CompareTo(other.Turn);
        }
    }
}
