namespace Cache.Core;

/// <summary>An end of a range of members in the order of their bytes.</summary>
public readonly ref struct MemberBound
{
    private MemberBound(int side, ReadOnlySpan<byte> member, bool isExclusive)
    {
        Side = side;
        Member = member;
        IsExclusive = isExclusive;
    }

    /// <summary>Below all members.</summary>
    public static MemberBound Lowest => new(-1, default, isExclusive: false);

    /// <summary>Above all members.</summary>
    public static MemberBound Highest => new(1, default, isExclusive: false);

    /// <summary>The member at the end; empty at the lowest and the highest.</summary>
    public ReadOnlySpan<byte> Member { get; }

    /// <summary>Whether the range does not have that member itself.</summary>
    public bool IsExclusive { get; }

    // −1: below all members, 1: above all, 0: at one.
    private int Side { get; }

    /// <summary>An end that the range has.</summary>
    public static MemberBound At(ReadOnlySpan<byte> member) => new(0, member, isExclusive: false);

    /// <summary>An end that the range does not have.</summary>
    public static MemberBound Without(ReadOnlySpan<byte> member) => new(0, member, isExclusive: true);

    /// <summary>Whether a member is not below this end.</summary>
    internal bool IsReachedBy(ReadOnlySpan<byte> member)
    {
        int order = Side != 0 ? -Side : member.SequenceCompareTo(Member);
        return IsExclusive ? order > 0 : order >= 0;
    }

    /// <summary>Whether a member is not above this end.</summary>
    internal bool IsNotPassedBy(ReadOnlySpan<byte> member)
    {
        int order = Side != 0 ? -Side : member.SequenceCompareTo(Member);
        return IsExclusive ? order < 0 : order <= 0;
    }

    /// <summary>Whether there may be members from this end to another one.</summary>
    internal bool MayReach(MemberBound other)
    {
        int order = Side != other.Side ? Side - other.Side : Member.SequenceCompareTo(other.Member);
        return order < 0 || (order == 0 && !IsExclusive && !other.IsExclusive);
    }
}
