using System.Buffers.Binary;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>A value that proves itself: every byte follows from its key, its sequence number and its length.</summary>
/// <remarks>
/// <code>
/// 0        2            5            8
/// | key 16 | sequence 24 | check 24  | body: a stream of words seeded by the first eight bytes ...
/// </code>
/// The check covers key, sequence and length, so that eight bytes alone already tell a torn or cut value.
/// </remarks>
internal static class TortureValue
{
    public const int LengthMin = 8;
    public const int LengthMax = 2 << 20;
    public const int SequenceMax = (1 << 24) - 1;

    private const int CheckBits = 24;
    private const ulong Golden = 0x9E3779B97F4A7C15;

    public static void Write(Span<byte> value, ushort key, int sequence)
    {
        ulong head = HeadOf(key, sequence, value.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(value, head);
        for (int at = LengthMin; at < value.Length; at += sizeof(ulong))
            WriteWord(value[at..], WordOf(head, at));
    }

    /// <summary>The sequence number of a value of a key.</summary>
    /// <exception cref="InvalidDataException">It is torn, cut, or another key's.</exception>
    public static int Verify(ReadOnlySpan<byte> value, ushort key)
    {
        if (value.Length is < LengthMin or > LengthMax)
            throw new InvalidDataException($"Key {key} has a value of {value.Length} bytes, which nobody wrote.");
        ulong head = BinaryPrimitives.ReadUInt64LittleEndian(value);
        int sequence = (int)((head >> CheckBits) & SequenceMax);
        ushort owner = (ushort)(head >> (CheckBits + CheckBits));
        if (head != HeadOf(owner, sequence, value.Length))
            throw new InvalidDataException($"Key {key} has a torn head of {value.Length} bytes: {head:X16}.");
        if (owner != key)
            throw new InvalidDataException($"Key {key} has the value of key {owner}.");
        for (int at = LengthMin; at < value.Length; at += sizeof(ulong))
        {
            if (!IsWord(value[at..], WordOf(head, at)))
            {
                throw new InvalidDataException(
                    $"Key {key}, sequence {sequence}: torn at byte {at} of {value.Length}.");
            }
        }

        return sequence;
    }

    private static ulong HeadOf(ushort key, int sequence, int length)
    {
        ulong head = ((ulong)key << (CheckBits + CheckBits)) | ((ulong)(uint)sequence << CheckBits);
        ulong check = (head ^ (uint)length) * Golden;
        return head | (check >> (64 - CheckBits));
    }

    private static ulong WordOf(ulong head, int at)
    {
        ulong word = (head + (ulong)at) * Golden;
        return word ^ (word >> 29);
    }

    private static void WriteWord(Span<byte> place, ulong word)
    {
        if (BinaryPrimitives.TryWriteUInt64LittleEndian(place, word))
            return;
        for (int i = 0; i < place.Length; i++)
            place[i] = (byte)(word >> (8 * i));
    }

    private static bool IsWord(ReadOnlySpan<byte> place, ulong word)
    {
        if (BinaryPrimitives.TryReadUInt64LittleEndian(place, out ulong read))
            return read == word;
        for (int i = 0; i < place.Length; i++)
        {
            if (place[i] != (byte)(word >> (8 * i)))
                return false;
        }

        return true;
    }
}
