using System.Buffers.Binary;
using System.Text;
using Cache.Durability.Rdb;

namespace Cache.Durability.Tests.Rdb;

/// <summary>A file put together by hand, with the checksum that it needs.</summary>
internal sealed class RdbBytes
{
    private readonly List<byte> _bytes = [];

    public RdbBytes(string header = "REDIS0010") => _bytes.AddRange(Encoding.ASCII.GetBytes(header));

    public RdbBytes Add(params byte[] bytes)
    {
        _bytes.AddRange(bytes);
        return this;
    }

    /// <summary>A string of fewer than 64 bytes.</summary>
    public RdbBytes Text(string text) => Add((byte)text.Length).Add(Encoding.Latin1.GetBytes(text));

    public byte[] ToArray() => [.. _bytes];

    public byte[] End()
    {
        Add((byte)RdbOpcode.End);
        byte[] sum = new byte[8];
        BinaryPrimitives.WriteUInt64LittleEndian(sum, Crc64.Append(0, ToArray()));
        return Add(sum).ToArray();
    }
}
