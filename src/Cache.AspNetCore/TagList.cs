using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Cache.AspNetCore;

/// <summary>The tags of an entry as they lie behind its response: each a length and its UTF-16 units.</summary>
internal readonly ref struct TagList(ReadOnlySpan<byte> bytes)
{
    private const int LengthBytes = sizeof(int);

    private readonly ReadOnlySpan<byte> _bytes = bytes;

    /// <summary>The bytes that the list of these tags takes.</summary>
    public static long SizeOf(ReadOnlySpan<string> tags)
    {
        long size = 0;
        foreach (string tag in tags)
            size += LengthBytes + (long)tag.Length * sizeof(char);
        return size;
    }

    /// <summary>Writes the list into a span of its size.</summary>
    public static void Write(ReadOnlySpan<string> tags, Span<byte> destination)
    {
        foreach (string tag in tags)
        {
            var units = MemoryMarshal.AsBytes(tag.AsSpan());
            BinaryPrimitives.WriteInt32LittleEndian(destination, units.Length);
            units.CopyTo(destination[LengthBytes..]);
            destination = destination[(LengthBytes + units.Length)..];
        }
    }

    public Enumerator GetEnumerator() => new(_bytes);

    /// <summary>
    /// Walks the tags. Lengths are bounded by the list: its bytes may be anything that a client wrote.
    /// </summary>
    public ref struct Enumerator(ReadOnlySpan<byte> rest)
    {
        private ReadOnlySpan<byte> _rest = rest;

        public ReadOnlySpan<char> Current { get; private set; }

        public bool MoveNext()
        {
            if (!BinaryPrimitives.TryReadInt32LittleEndian(_rest, out int length))
                return false;
            _rest = _rest[LengthBytes..];
            length = Math.Clamp(length, 0, _rest.Length);
            Current = MemoryMarshal.Cast<byte, char>(_rest[..length]);
            _rest = _rest[length..];
            return true;
        }
    }
}
