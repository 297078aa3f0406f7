using System.Text;
using Cache.Core;

namespace Cache.Testing;

/// <summary>Takes the members of a set as text, up to a number.</summary>
internal struct MemberListSink() : IMemberSink
{
    /// <summary>What was announced; −1: nothing.</summary>
    public long Count { get; private set; } = -1;

    public List<string> Members { get; } = [];

    /// <summary>How many it takes.</summary>
    public int CountMax { get; init; } = int.MaxValue;

    public readonly bool IsFull => Members.Count >= CountMax;

    public void Begin(long count) => Count = count;

    public readonly void Take(scoped ReadOnlySpan<byte> member) => Members.Add(Encoding.Latin1.GetString(member));
}
