using System.Diagnostics;
using Cache.Core.Compression;
using Cache.Durability.Files;
using Cache.Durability.Format;

namespace Cache.Durability.Recovery;

/// <summary>Reads the blocks of one file, and checks each.</summary>
/// <remarks>Reads the file in stretches of several blocks. Not thread-safe.</remarks>
internal sealed class BlockReader : IDisposable
{
    // Long enough for the disk to read ahead, and for the cost of calls not to matter.
    private const int WindowBytes = 4 << 20;

    // Blocks do not overlap, so a damaged file has at most its length of payloads that fail, and is searched twice at
    // most. A file made to be slow, with a header at each 64 bytes, is damaged from there on.
    private const int FailedLengthsMax = 2;

    // The unit in which a disk fails: if a part of a stretch cannot be read, the others are tried separately.
    private const int PageBytes = 4096;

    // Somewhere in it a block begins, before the last one.
    private const int StretchBytes = BlockHeader.PayloadBytesMax + 2 * FileHeader.DirectAlignment;

    private readonly StorageFile _file;
    private readonly bool _skipsDamage;
    private readonly byte[] _window;

    // The payload of a compressed block; null before the first.
    private byte[]? _raw;
    private long _windowStart;
    private int _windowLength;

    private BlockReader(StorageFile file, byte[] window, FileHeader header, bool skipsDamage)
    {
        _file = file;
        _skipsDamage = skipsDamage;
        _window = window;
        Header = header;
        Length = file.Length;
        Position = FileHeader.Size;
    }

    public string Name => _file.Name;

    public FileHeader Header { get; }

    /// <summary>The length of the file.</summary>
    public long Length { get; }

    /// <summary>The bytes of payloads whose checksum was computed in vain.</summary>
    public long FailedBytes { get; private set; }

    /// <summary>The position of the next expected block.</summary>
    public long Position { get; private set; }

    /// <param name="directory">The directory of the file.</param>
    /// <param name="name">Its name.</param>
    /// <param name="storeId">The store to which it must belong.</param>
    /// <param name="skipsDamage">
    /// Whether bytes that the disk cannot read are taken as zeros, which are not a block.
    /// </param>
    /// <exception cref="RecoveryRefusedException">It is not a file of this version and this store.</exception>
    public static BlockReader Open(
        StorageDirectory directory, string name, ulong storeId, bool skipsDamage = false)
    {
        var file = OpenCore(directory, name);
        try
        {
            byte[] window = new byte[Math.Max(FileHeader.Size, (int)Math.Min(WindowBytes, file.Length))];
            int length = file.Read(0, window.AsSpan(0, FileHeader.Size));
            if (!FileHeader.TryRead(window.AsSpan(0, length), out var header, out string problem))
                throw new RecoveryRefusedException(name, -1, problem);
            if (header.StoreId != storeId)
                throw new RecoveryRefusedException(name, -1, "belongs to another directory");
            return new BlockReader(file, window, header, skipsDamage);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Reads the block at <see cref="Position"/>, if it is complete.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="payload">Its records, as they were before compression; valid until the next call.</param>
    public bool TryRead(out BlockHeader header, out ReadOnlySpan<byte> payload)
    {
        payload = default;
        if (!TryReadHeader(Position, out header) || FailedBytes > FailedLengthsMax * Length)
            return false;
        var stored = Read(Position + BlockHeader.Size, header.StoredBytes);
        if (stored.Length < header.StoredBytes || Crc32C.OfQuarters(stored) != header.PayloadChecksum
            || !TryUnpack(header, stored, out payload))
        {
            FailedBytes += stored.Length;
            return false;
        }

        Position += header.LengthIn(Header.Alignment);
        return true;
    }

    /// <summary>The next position, from a given one on, where a block of this file begins; −1 if none.</summary>
    public long Find(long position, out BlockHeader header)
    {
        Debug.Assert(position % FileHeader.BufferedAlignment == 0);
        for (; position <= Length - BlockHeader.Size; position += FileHeader.BufferedAlignment)
        {
            if (TryReadHeader(position, out header))
                return position;
        }

        header = default;
        return -1;
    }

    /// <summary>About where its blocks end, with a few short reads: a journal is as long as it may become.</summary>
    public long EstimateEnd()
    {
        long first = FileHeader.Size;
        long end = Length;
        byte[] stretch = new byte[StretchBytes];
        while (end - first > StretchBytes)
        {
            long middle = first + (end - first) / 2 / FileHeader.BufferedAlignment * FileHeader.BufferedAlignment;
            var bytes = stretch.AsSpan(0, _file.Read(middle, stretch));
            int found = 0;
            while (found <= bytes.Length - BlockHeader.Size
                && !BlockHeader.TryRead(bytes[found..], Header.FileId, out _))
            {
                found += FileHeader.BufferedAlignment;
            }

            if (found <= bytes.Length - BlockHeader.Size)
                first = middle + found;
            else
                end = middle;
        }

        return end;
    }

    /// <summary>Moves to a position that <see cref="Find"/> has found.</summary>
    public void MoveTo(long position) => Position = position;

    public void Dispose() => _file.Dispose();

    private static StorageFile OpenCore(StorageDirectory directory, string name)
    {
        try
        {
            return directory.Open(name, writable: false);
        }
        catch (FileNotFoundException)
        {
            throw new RecoveryRefusedException(name, -1, "is missing");
        }
    }

    // A right checksum proves nothing: the codec checks what it reads, and its caller has checked the lengths.
    private bool TryUnpack(BlockHeader header, ReadOnlySpan<byte> stored, out ReadOnlySpan<byte> payload)
    {
        payload = stored;
        if (header.Codec != BlockHeader.Lz4Codec)
            return true;
        _raw ??= new byte[BlockHeader.PayloadBytesMax];
        var raw = _raw.AsSpan(0, header.RawBytes);
        payload = raw;
        return Lz4Decoder.TryDecode(stored, default, raw);
    }

    private bool TryReadHeader(long position, out BlockHeader header) =>
        BlockHeader.TryRead(Read(position, BlockHeader.Size), Header.FileId, out header);

    // Shorter only at the end of the file.
    private ReadOnlySpan<byte> Read(long position, int length)
    {
        Debug.Assert(length <= BlockHeader.PayloadBytesMax);
        if (position < _windowStart || position + length > _windowStart + _windowLength)
        {
            _windowStart = position;
            _windowLength = Fill(position);
        }

        int start = (int)(position - _windowStart);
        return _window.AsSpan(start, Math.Min(length, _windowLength - start));
    }

    private int Fill(long position)
    {
        try
        {
            return _file.Read(position, _window);
        }
        catch (IOException) when (_skipsDamage)
        {
            return FillByPages(position);
        }
    }

    private int FillByPages(long position)
    {
        int length = (int)Math.Min(_window.Length, Length - position);
        for (int from = 0; from < length;)
        {
            int left = PageBytes - (int)((position + from) % PageBytes);
            var page = _window.AsSpan(from, Math.Min(left, length - from));
            page.Clear();
            try
            {
                _ = _file.Read(position + from, page);
            }
            catch (IOException)
            {
                page.Clear();
            }

            from += page.Length;
        }

        return length;
    }
}
