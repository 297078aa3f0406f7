using Cache.Testing;

namespace Cache.Core.Tests.Collections;

/// <summary>A selection of the members from a score on, each with its score twice.</summary>
internal sealed class SelectedMembers
{
    private readonly List<(string Member, double Score)> _members = [];

    public double From { get; init; } = double.NegativeInfinity;

    /// <summary>Called before each choice.</summary>
    public Action? Before { get; init; }

    public bool Declines { get; init; }

    public int Calls { get; private set; }

    public Source Selection => new(this);

    /// <summary>Stores all members of a key.</summary>
    public static WriteStatus Store(CacheStore store, ReadOnlySpan<byte> source, ReadOnlySpan<byte> destination)
    {
        var all = new SelectedMembers().Selection;
        return store.StoreSelection(source, ref all, destination);
    }

    internal readonly struct Source(SelectedMembers owner) : ISortedSetSelection
    {
        public int Count => owner._members.Count;

        public ReadOnlySpan<byte> GetKey(int index) => StoreFixture.Bytes(owner._members[index].Member);

        public double GetScore(int index) => owner._members[index].Score;

        public bool TrySelect(scoped in SortedSetSnapshot set)
        {
            owner.Calls++;
            owner.Before?.Invoke();
            var sink = new ScoredListSink();
            set.GetRange(SortedSetRange.ByScore(owner.From, ScoreBound.Highest), ref sink);
            owner._members.Clear();
            owner._members.AddRange(sink.Members.Select(static pair => (pair.Member, pair.Score * 2)));
            return !owner.Declines;
        }
    }
}
