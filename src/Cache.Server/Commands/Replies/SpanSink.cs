using Cache.Core;

namespace Cache.Server.Commands.Replies;

/// <summary>Takes a value that fits a span.</summary>
internal ref struct SpanSink(Span<byte> room) : IValueSink
{
    private readonly Span<byte> _room = room;

    /// <summary>How much it took.</summary>
    public int Length { get; private set; }

    public readonly Span<byte> GetSpan(int length) => _room[..length];

    public void Advance(int length) => Length = length;
}
