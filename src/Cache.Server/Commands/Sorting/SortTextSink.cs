using Cache.Core;

namespace Cache.Server.Commands.Sorting;

/// <summary>Adds elements of a collection, or the values of keys and fields, to texts.</summary>
internal struct SortTextSink(SortTexts texts) : IElementSink, IMemberSink, IScoredMemberSink, IValueSink
{
    // A field of a hash is short; what has no room all the same is thrown away.
    private byte[]? _refused;

    /// <summary>The length of the last value.</summary>
    public int Length { get; private set; }

    public readonly bool IsFull => texts.IsTooLong;

    public readonly void Begin(long count)
    {
    }

    public readonly void Take(scoped ReadOnlySpan<byte> element) => texts.Add(element);

    public readonly void Take(scoped ReadOnlySpan<byte> member, double score) => texts.Add(member);

    public Span<byte> GetSpan(int length)
    {
        _refused = length <= texts.Room ? null : new byte[length];
        return _refused ?? texts.GetSpan(length);
    }

    public void Advance(int length)
    {
        Length = length;
        if (_refused is null)
            texts.Advance(length);
        else
            texts.GiveUp();
    }
}
