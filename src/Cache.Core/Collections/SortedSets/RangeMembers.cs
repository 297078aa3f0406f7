namespace Cache.Core.Collections.SortedSets;

/// <summary>Members of a range with their scores, copied; dispose it.</summary>
/// <remarks>
/// Redis adds them one after the other to a new sorted set, in its compact encoding at first, unless it knows already
/// that they are too many. bytesMax: Of all members, beyond which it takes no more. limits: Beyond which that set is
/// converted. isCounted: Whether Redis knows how many they are.
/// </remarks>
internal sealed class RangeMembers(long bytesMax, EncodingLimits limits, bool isCounted) : IDisposable
{
    private const int BytesMin = 1024;
    private const int CountMin = 64;

    // What a member takes besides its bytes.
    private const int MemberBytes = 16;

    // Of one array of all bytes.
    private const int BytesMax = 1 << 30;

    private readonly long _bytesMax = Math.Min(bytesMax, BytesMax);

    private byte[] _bytes = PooledGrowth.Rent<byte>(BytesMin);
    private (int End, double Score)[] _members = PooledGrowth.Rent<(int End, double Score)>(CountMin);
    private int _length;
    private ScoreForm _form;

    public int Count { get; private set; }

    /// <summary>Whether there were more than it takes.</summary>
    public bool IsTooLong { get; private set; }

    public void Clear() => (Count, _length, IsTooLong) = (0, 0, false);

    public void Dispose()
    {
        PooledGrowth.Return(_bytes);
        PooledGrowth.Return(_members);
        (_bytes, _members) = ([], []);
    }

    private void Begin(long count) =>
        _form = new ScoreForm(limits, count: 0, isConverted: isCounted && count > limits.SortedSetMembers);

    private void Add(scoped ReadOnlySpan<byte> member, double score)
    {
        IsTooLong |= _length + member.Length + (long)Count * MemberBytes > _bytesMax;
        if (IsTooLong)
            return;
        _form.Add(member.Length);
        _bytes = PooledGrowth.Fit(_bytes, _length, _length + member.Length);
        _members = PooledGrowth.Fit(_members, Count, Count + 1);
        member.CopyTo(_bytes.AsSpan(_length));
        _length += member.Length;
        _members[Count++] = (_length, _form.Of(score));
    }

    /// <summary>Adds what it is told.</summary>
    public readonly struct Sink(RangeMembers members) : IScoredMemberSink
    {
        public bool IsFull => members.IsTooLong;

        public void Begin(long count) => members.Begin(count);

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
