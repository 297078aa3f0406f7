using System.Buffers;
using System.Buffers.Text;
using Cache.Server.Clients;

namespace Cache.Server.PubSub;

/// <summary>A message on its way to the subscribers of one channel or pattern; used by one thread.</summary>
/// <param name="kind">What they are subscribed to.</param>
/// <param name="pattern">The pattern; empty of a channel.</param>
/// <param name="channel">The channel.</param>
/// <param name="payload">What was published.</param>
internal ref struct PublishedMessage(
    ChannelKind kind, ReadOnlySpan<byte> pattern, ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload)
    : IPushMessage
{
    // A header with its line ends, and those of a text.
    private const int FrameBytesMax = 16;

    private readonly ChannelKind _kind = kind;
    private readonly ReadOnlySpan<byte> _pattern = pattern;
    private readonly ReadOnlySpan<byte> _channel = channel;
    private readonly ReadOnlySpan<byte> _payload = payload;
    private LocalMessage? _local;
    private byte[]? _array;
    private byte[]? _push;

    /// <inheritdoc/>
    public ReadOnlyMemory<byte> Frame(int protocolVersion) => protocolVersion == 3
        ? _push ??= Make((byte)'>')
        : _array ??= Make((byte)'*');

    /// <summary>The message for subscribers in the process, who share its arrays.</summary>
    public LocalMessage ToLocal() =>
        _local ??= new LocalMessage(_pattern.ToArray(), _channel.ToArray(), _payload.ToArray());

    private readonly byte[] Make(byte type)
    {
        bool isOfPattern = _kind == ChannelKind.Pattern;
        var name = isOfPattern ? "pmessage"u8 : _kind == ChannelKind.Shard ? "smessage"u8 : "message"u8;
        var frame = new ArrayBufferWriter<byte>(
            _pattern.Length + _channel.Length + _payload.Length + name.Length + FrameBytesMax * 5);
        frame.Write([type, isOfPattern ? (byte)'4' : (byte)'3', (byte)'\r', (byte)'\n']);
        Add(frame, name);
        if (isOfPattern)
            Add(frame, _pattern);
        Add(frame, _channel);
        Add(frame, _payload);
        return frame.WrittenSpan.ToArray();
    }

    private static void Add(ArrayBufferWriter<byte> frame, ReadOnlySpan<byte> text)
    {
        var room = frame.GetSpan(FrameBytesMax);
        room[0] = (byte)'$';
        Utf8Formatter.TryFormat(text.Length, room[1..], out int digits);
        frame.Advance(digits + 1);
        frame.Write("\r\n"u8);
        frame.Write(text);
        frame.Write("\r\n"u8);
    }
}
