using System.Globalization;
using System.Text;
using Cache.Protocol;

namespace Cache.Client;

/// <summary>A reply: a text, a number, or other replies. A map is its keys and values in turn.</summary>
internal readonly struct RespReply
{
    private static readonly RespReply[] _none = [];

    private readonly object? _content;

    public RespReply(RespType type, byte[] text)
    {
        Type = type;
        _content = text;
    }

    public RespReply(RespType type, long number)
    {
        Type = type;
        Number = number;
    }

    public RespReply(RespType type, RespReply[] items)
    {
        Type = type;
        _content = items;
    }

    public RespType Type { get; }

    /// <summary>An integer; 0 or 1 of a boolean.</summary>
    public long Number { get; }

    /// <summary>The bytes of a text; null: it is none.</summary>
    public byte[]? Bytes => _content as byte[];

    public RespReply[] Items => _content as RespReply[] ?? _none;

    public bool IsNull => Type == RespType.Null;

    public bool IsError => Type is RespType.Error or RespType.BulkError;

    /// <summary>For people, and for names and numbers in ASCII.</summary>
    public string Text => _content is byte[] bytes
        ? Encoding.UTF8.GetString(bytes)
        : Type is RespType.Integer or RespType.Boolean ? Number.ToString(CultureInfo.InvariantCulture) : "";

    /// <summary>The first word of an error.</summary>
    public string ErrorCode => Text.Split(' ', 2)[0];

    public bool Is(ReadOnlySpan<byte> text) => _content is byte[] bytes && bytes.AsSpan().SequenceEqual(text);

    /// <summary>The value behind a name, among names and values in turn; default: there is none.</summary>
    public RespReply Find(ReadOnlySpan<byte> name)
    {
        var items = Items;
        for (int i = 0; i + 1 < items.Length; i += 2)
        {
            if (items[i].Is(name))
                return items[i + 1];
        }

        return default;
    }
}
