using Cache.Core;

namespace Cache.Server.Commands.Replies;

/// <summary>Copies a value that fits into a span.</summary>
internal ref struct SpanSink(Span<byte> room) : IValueSink
{
    private readonly Span<byte> _room = room;

    /// <summary>The length of the copied value.</summary>
    public int Length { get; private set; }

    public readonly Span<byte> GetSpan(int length) => _room[..length];

    public void Advance(int length) => Length = length;
}
