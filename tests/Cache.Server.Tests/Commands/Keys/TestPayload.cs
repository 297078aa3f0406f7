using System.Buffers.Binary;
using System.Text;
using Cache.Durability.Rdb;

namespace Cache.Server.Tests.Commands.Keys;

/// <summary>Payloads of DUMP; a char is a byte.</summary>
internal static class TestPayload
{
    public const int FooterLength = RdbPayload.FooterLength;

    /// <summary>What a bulk string has.</summary>
    public static string Of(string reply)
    {
        Assert.Equal('$', reply[0]);
        return reply[(reply.IndexOf('\n') + 1)..^2];
    }

    /// <summary>A value with the footer that it needs.</summary>
    public static string SignValue(string value) => Sign(value + new string('\0', FooterLength));

    /// <summary>The same bytes with version and checksum made right; shorter ones as they are.</summary>
    public static string Sign(string payload)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(payload);
        if (bytes.Length < FooterLength)
            return payload;
        var footer = bytes.AsSpan(bytes.Length - FooterLength);
        BinaryPrimitives.WriteUInt16LittleEndian(footer, RdbFormat.VersionMax);
        BinaryPrimitives.WriteUInt64LittleEndian(
            footer[sizeof(ushort)..], Crc64.Append(0, bytes.AsSpan(0, bytes.Length - sizeof(ulong))));
        return Encoding.Latin1.GetString(bytes);
    }

    /// <summary>With a few bits or bytes of its value changed, left out or repeated.</summary>
    public static string Change(string payload, Random random)
    {
        var value = new StringBuilder(payload[..^FooterLength]);
        for (int changes = random.Next(1, 4); changes > 0 && value.Length > 1; changes--)
        {
            int at = random.Next(value.Length);
            switch (random.Next(8))
            {
                case 0:
                    value.Remove(at, Math.Min(random.Next(1, 9), value.Length - at));
                    break;
                case 1:
                    value.Insert(at, value.ToString(at, Math.Min(random.Next(1, 9), value.Length - at)));
                    break;
                case 2:
                    value[at] = (char)random.Next(256);
                    break;
                default:
                    value[at] ^= (char)(1 << random.Next(8));
                    break;
            }
        }

        return SignValue(value.ToString());
    }
}
