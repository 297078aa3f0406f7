using System.Buffers.Binary;

namespace Cache.Bench.ServerLoad;

/// <summary>What a key's value consists of, so that a value tells whose it is and whether it is whole.</summary>
/// <remarks>
/// <code>
/// 0      8 bytes  the key's id, mixed
/// 8      4 bytes  the version: which of the key's values this is
/// 12     4 bytes  checksum of the two before
/// 16     the rest a stretch of random bytes whose place follows from id and version
/// </code>
/// A value of fewer than 16 bytes ends after its id. It stays the same from run to run, so that one run can preload
/// and the next verify. Immutable, for any thread.
/// </remarks>
internal sealed class ValuePattern
{
    public const int BytesMin = IdBytes;

    // Stretches of different values overlap; with so many places to begin at, none begins like another's neighbour.
    private const int StretchesLog2 = 16;
    private const int IdBytes = 8;
    private const int HeaderBytes = 16;
    private const int EndBytes = 8;
    private const ulong Salt = 0x6A09E667F3BCC908;

    private readonly byte[] _random;

    public ValuePattern(int valueBytes)
    {
        ValueBytes = valueBytes;
        var random = new SplitMix(Salt);
        _random = new byte[(1 << StretchesLog2) + valueBytes];
        for (int i = 0; i + IdBytes <= _random.Length; i += IdBytes)
            BinaryPrimitives.WriteUInt64LittleEndian(_random.AsSpan(i), random.Next());
    }

    public int ValueBytes { get; }

    public void Write(Span<byte> value, long id, uint version)
    {
        ulong tag = SplitMix.Mix((ulong)id ^ Salt);
        BinaryPrimitives.WriteUInt64LittleEndian(value, tag);
        if (value.Length < HeaderBytes)
        {
            value[IdBytes..].Clear();
            return;
        }

        ulong check = SplitMix.Mix(tag + version);
        BinaryPrimitives.WriteUInt32LittleEndian(value[IdBytes..], version);
        BinaryPrimitives.WriteUInt32LittleEndian(value[(IdBytes + sizeof(uint))..], (uint)check);
        StretchOf(check, value.Length).CopyTo(value[HeaderBytes..]);
    }

    /// <summary>Whether the value is this key's, and its ends are one value's: the check for every reply.</summary>
    public bool MatchesEnds(ReadOnlySpan<byte> value, long id) =>
        MatchesHeader(value, id, out ulong check)
        && (value.Length < HeaderBytes + EndBytes
            || value[^EndBytes..].SequenceEqual(StretchOf(check, value.Length)[^EndBytes..]));

    /// <summary>Whether every byte is one value's of this key.</summary>
    public bool Matches(ReadOnlySpan<byte> value, long id) =>
        MatchesHeader(value, id, out ulong check)
        && (value.Length < HeaderBytes || value[HeaderBytes..].SequenceEqual(StretchOf(check, value.Length)));

    private static bool MatchesHeader(ReadOnlySpan<byte> value, long id, out ulong check)
    {
        ulong tag = SplitMix.Mix((ulong)id ^ Salt);
        check = 0;
        if (BinaryPrimitives.ReadUInt64LittleEndian(value) != tag)
            return false;
        if (value.Length < HeaderBytes)
            return !value[IdBytes..].ContainsAnyExcept((byte)0);
        check = SplitMix.Mix(tag + BinaryPrimitives.ReadUInt32LittleEndian(value[IdBytes..]));
        return BinaryPrimitives.ReadUInt32LittleEndian(value[(IdBytes + sizeof(uint))..]) == (uint)check;
    }

    private ReadOnlySpan<byte> StretchOf(ulong check, int valueBytes) =>
        _random.AsSpan((int)(check >> (64 - StretchesLog2)), valueBytes - HeaderBytes);
}
