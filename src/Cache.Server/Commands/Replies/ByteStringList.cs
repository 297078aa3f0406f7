using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>Byte strings, or their absence, in order: for replies whose count is known only at the end.</summary>
/// <remarks>
/// Held in chunks: each string is a length of four bytes (−1: absent) and its bytes. A chunk is never moved, so that a
/// large list costs no second copy; large chunks are outside the managed heap, and are given back at once. One thread
/// at a time.
/// </remarks>
internal sealed class ByteStringList : IDisposable
{
    private const int Absent = -1;
    private const int HeaderBytes = sizeof(int);

    // $-1 CR LF, and the bytes around a string beside the digits of its length.
    private const int AbsentReplyBytes = 5;
    private const int ReplyFrameBytes = 5;

    // The first chunk is for a few small values; later ones double up to a size that is worth a mapping.
    private const int ChunkBytesMin = 4096;
    private const int ChunkBytesMax = 1 << 18;

    private readonly List<Chunk> _chunks = [];
    private byte[] _array = [];
    private NativeBytes? _native;
    private int _used;
    private int _chunkBytes;
    private long _replyBytes;

    /// <summary>The number of strings, absent ones included.</summary>
    public int Count { get; private set; }

    /// <summary>
    /// The most bytes of all strings in a reply, if there are several; set before the first. 0: no limit.
    /// </summary>
    public long BytesMax { get; set; }

    /// <summary>Whether they exceeded it: then none is kept.</summary>
    public bool IsTooLong { get; private set; }

    /// <summary>The bytes of memory for the strings.</summary>
    public long MemoryBytes { get; private set; }

    /// <summary>Room for the next string; it is in the list after <see cref="Advance"/>.</summary>
    public Span<byte> GetSpan(int length)
    {
        if (Room.Length < HeaderBytes + length)
            NextChunk(HeaderBytes + length);
        return Room.Slice(HeaderBytes, length);
    }

    public void Advance(int length)
    {
        Debug.Assert(Room.Length >= HeaderBytes + length);
        BinaryPrimitives.WriteInt32LittleEndian(Room, length);
        _used += HeaderBytes + length;
        Count++;
        Bound(ReplyFrameBytes + CountDigits(length) + length);
    }

    public void Add(ReadOnlySpan<byte> text)
    {
        text.CopyTo(GetSpan(text.Length));
        Advance(text.Length);
    }

    public void AddAbsent()
    {
        GetSpan(0);
        BinaryPrimitives.WriteInt32LittleEndian(Room, Absent);
        _used += HeaderBytes;
        Count++;
        Bound(AbsentReplyBytes);
    }

    /// <summary>Forgets all strings and gives the memory back.</summary>
    public void Clear()
    {
        IsTooLong = false;
        GiveBack();
    }

    /// <summary>As <see cref="Clear"/>; the list may be used again.</summary>
    public void Dispose() => Clear();

    /// <summary>
    /// Writes the strings as an array of bulk strings and nulls, or the error if they are too long, and forgets them:
    /// each chunk is given back before the next is written.
    /// </summary>
    public void WriteTo(RespReplyWriter reply)
    {
        if (IsTooLong)
        {
            reply.Error(ErrorTexts.ReplyTooLong);
            return;
        }

        reply.ArrayHeader(Count);
        EndChunk();
        for (int i = 0; i < _chunks.Count; i++)
        {
            for (var texts = new Enumerator(_chunks, i, i + 1); texts.MoveNext();)
            {
                if (texts.Current.IsAbsent)
                    reply.Null();
                else
                    reply.Bulk(texts.Current.Bytes);
            }

            var written = _chunks[i];
            _chunks[i] = default;
            written.GiveBack();
        }

        Clear();
    }

    /// <summary>The first string, empty if it is absent or there is none; valid until <see cref="Clear"/>.</summary>
    public ReadOnlySpan<byte> First
    {
        get
        {
            foreach (var text in this)
                return text.Bytes;
            return default;
        }
    }

    /// <summary>Reads the strings in order; they are valid until <see cref="Clear"/>.</summary>
    public Enumerator GetEnumerator()
    {
        EndChunk();
        return new Enumerator(_chunks, 0, _chunks.Count);
    }

    private void Bound(long replyBytes)
    {
        _replyBytes += replyBytes;
        if (BytesMax > 0 && _replyBytes > BytesMax && (Count > 1 || IsTooLong))
        {
            GiveBack();
            IsTooLong = true;
        }
    }

    private Span<byte> Room => (_native is null ? _array : _native.Span)[_used..];

    private static int CountDigits(int length)
    {
        int digits = 1;
        for (int rest = length; rest >= 10; rest /= 10)
            digits++;
        return digits;
    }

    private void GiveBack()
    {
        EndChunk();
        foreach (var chunk in _chunks)
            chunk.GiveBack();
        _chunks.Clear();
        Count = 0;
        _chunkBytes = 0;
        _replyBytes = 0;
        MemoryBytes = 0;
    }

    private void NextChunk(int bytes)
    {
        EndChunk();
        _chunkBytes = Math.Clamp(_chunkBytes * 2, ChunkBytesMin, ChunkBytesMax);
        int length = Math.Max(bytes, _chunkBytes);
        if (length < ChunkBytesMax)
        {
            _array = ArrayPool<byte>.Shared.Rent(length);
            length = _array.Length;
        }
        else
        {
            var native = new NativeBytes(length); // The pool would keep such an array, uncounted.
            _native = native;
        }

        MemoryBytes += length;
    }

    private void EndChunk()
    {
        if (_native is not null || _array.Length > 0)
            _chunks.Add(new Chunk(_array, _native, _used));
        _array = [];
        _native = null;
        _used = 0;
    }

    /// <summary>A pooled array, or the memory of one long string, filled up to a point.</summary>
    internal readonly record struct Chunk(byte[] Array, NativeBytes? Native, int Used)
    {
        public ReadOnlySpan<byte> Span => Native is null ? Array.AsSpan(0, Used) : Native.Span[..Used];

        public void GiveBack()
        {
            Native?.Dispose();
            if (Array is { Length: > 0 }) // Null if it was given back before.
                ArrayPool<byte>.Shared.Return(Array);
        }
    }

    /// <summary>One string of the list.</summary>
    internal readonly ref struct Element(ReadOnlySpan<byte> bytes, bool isAbsent)
    {
        public ReadOnlySpan<byte> Bytes { get; } = bytes;

        public bool IsAbsent { get; } = isAbsent;
    }

    /// <summary>Enumerates the strings.</summary>
    internal ref struct Enumerator
    {
        private readonly List<Chunk> _chunks;
        private readonly int _end;
        private int _nextChunk;
        private ReadOnlySpan<byte> _rest;

        internal Enumerator(List<Chunk> chunks, int start, int end)
        {
            _chunks = chunks;
            _nextChunk = start;
            _end = end;
        }

        public Element Current { get; private set; }

        public bool MoveNext()
        {
            while (_rest.IsEmpty)
            {
                if (_nextChunk == _end)
                    return false;
                var chunk = _chunks[_nextChunk++];
                _rest = chunk.Span;
            }

            int length = BinaryPrimitives.ReadInt32LittleEndian(_rest);
            int bytes = Math.Max(0, length);
            Current = new Element(_rest.Slice(HeaderBytes, bytes), length == Absent);
            _rest = _rest[(HeaderBytes + bytes)..];
            return true;
        }
    }
}
