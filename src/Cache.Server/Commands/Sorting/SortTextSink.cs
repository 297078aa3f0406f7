using Cache.Core;

namespace Cache.Server.Commands.Sorting;

/// <summary>Adds elements of a collection, or the values of keys and fields, to texts.</summary>
internal readonly struct SortTextSink(SortTexts texts) : IElementSink, IValueSink
{
    public void Begin(long count)
    {
    }

    public void Take(scoped ReadOnlySpan<byte> element) => texts.Add(element);

    public Span<byte> GetSpan(int length) => texts.GetSpan(length);

    public void Advance(int length) => texts.Advance(length);
}
