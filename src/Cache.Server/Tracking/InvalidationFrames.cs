using System.Buffers;
using System.Globalization;
using System.Text;

namespace Cache.Server.Tracking;

/// <summary>
/// A message about changed keys as it is sent; framed when first needed, and shared by all its receivers.
/// </summary>
internal sealed class InvalidationFrames
{
    private readonly byte[] _value;
    private byte[]? _push;
    private byte[]? _message;

    private InvalidationFrames(byte[] value) => _value = value;

    /// <summary>All keys, for a tracking client of RESP2.</summary>
    public static InvalidationFrames All2 { get; } = new("$-1\r\n"u8.ToArray());

    /// <summary>All keys, for one of RESP3.</summary>
    public static InvalidationFrames All3 { get; } = new("_\r\n"u8.ToArray());

    /// <summary>A push of RESP3.</summary>
    public byte[] Push => _push ??= [.. ">2\r\n$10\r\ninvalidate\r\n"u8, .. _value];

    /// <summary>A message of a channel, for a client of RESP2.</summary>
    public byte[] Message =>
        _message ??= [.. "*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n"u8, .. _value];

    /// <summary>One key.</summary>
    public static InvalidationFrames Of(ReadOnlySpan<byte> key)
    {
        var value = new ArrayBufferWriter<byte>(key.Length + 32);
        value.Write("*1\r\n"u8);
        WriteBulk(value, key);
        return new InvalidationFrames(value.WrittenSpan.ToArray());
    }

    /// <summary>Several keys.</summary>
    /// <param name="keys">The keys.</param>
    /// <param name="exceptOf">The number of a client whose own changes are left out; 0: none.</param>
    /// <returns>Null if no key is left.</returns>
    public static InvalidationFrames? Of(ChangedKeys keys, long exceptOf)
    {
        int count = 0;
        long bytes = 0;
        for (int i = 0; i < keys.Count; i++)
        {
            if (exceptOf != 0 && keys.WriterOf(i) == exceptOf)
                continue;
            count++;
            bytes += keys[i].Length + 16;
        }

        if (count == 0)
            return null;
        var value = new ArrayBufferWriter<byte>((int)bytes + 16);
        WriteHeader(value, '*', count);
        for (int i = 0; i < keys.Count; i++)
        {
            if (exceptOf == 0 || keys.WriterOf(i) != exceptOf)
                WriteBulk(value, keys[i]);
        }

        return new InvalidationFrames(value.WrittenSpan.ToArray());
    }

    /// <summary>Tells a client of RESP3 that the client which is told instead has gone.</summary>
    public static byte[] BrokenRedirection(long redirection) =>
        Encoding.ASCII.GetBytes(string.Create(
            CultureInfo.InvariantCulture, $">2\r\n$21\r\ntracking-redir-broken\r\n:{redirection}\r\n"));

    private static void WriteBulk(ArrayBufferWriter<byte> output, ReadOnlySpan<byte> bytes)
    {
        WriteHeader(output, '$', bytes.Length);
        output.Write(bytes);
        output.Write("\r\n"u8);
    }

    private static void WriteHeader(ArrayBufferWriter<byte> output, char kind, int count)
    {
        var span = output.GetSpan(16);
        span[0] = (byte)kind;
        count.TryFormat(span[1..], out int length, provider: CultureInfo.InvariantCulture);
        "\r\n"u8.CopyTo(span[(length + 1)..]);
        output.Advance(length + 3);
    }
}
