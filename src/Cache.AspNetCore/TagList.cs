using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Cache.AspNetCore;

/// <summary>The tags of an entry in their stored form: each a length and its UTF-16 units.</summary>
internal readonly ref struct TagList(ReadOnlySpan<byte> bytes)
{
    private const int LengthBytes = sizeof(int);

    private readonly ReadOnlySpan<byte> _bytes = bytes;

    /// <summary>The bytes of the list of these tags.</summary>
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
    /// Enumerates the tags. Lengths are checked against the list: a client may have written its bytes.
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
