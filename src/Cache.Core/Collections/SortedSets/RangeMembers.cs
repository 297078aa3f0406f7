namespace Cache.Core.Collections.SortedSets;

/// <summary>Members of a range with their scores, copied; dispose it.</summary>
internal sealed class RangeMembers : IDisposable
{
    private const int BytesMin = 1024;
    private const int CountMin = 64;

    private byte[] _bytes = PooledGrowth.Rent<byte>(BytesMin);
    private (int End, double Score)[] _members = PooledGrowth.Rent<(int End, double Score)>(CountMin);
    private int _length;

    public int Count { get; private set; }

    public void Clear() => (Count, _length) = (0, 0);

    public void Dispose()
    {
        PooledGrowth.Return(_bytes);
        PooledGrowth.Return(_members);
        (_bytes, _members) = ([], []);
    }

    private void Add(scoped ReadOnlySpan<byte> member, double score)
    {
        _bytes = PooledGrowth.Fit(_bytes, _length, _length + member.Length);
        _members = PooledGrowth.Fit(_members, Count, Count + 1);
        member.CopyTo(_bytes.AsSpan(_length));
        _length += member.Length;
        _members[Count++] = (_length, score);
    }

    /// <summary>Adds what it is told.</summary>
    public readonly struct Sink(RangeMembers members) : IScoredMemberSink
    {
        public bool IsFull => false;

        public void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> member, double score) => members.Add(member, score);
    }

    /// <summary>Tells the members.</summary>
    public readonly struct Source(RangeMembers members) : IScoreSource
    {
        public int Count => members.Count;

        public ReadOnlySpan<byte> GetKey(int index)
        {
            int start = index == 0 ? 0 : members._members[index - 1].End;
            return members._bytes.AsSpan(start, members._members[index].End - start);
        }

        public double GetScore(int index) => members._members[index].Score;
    }
}
