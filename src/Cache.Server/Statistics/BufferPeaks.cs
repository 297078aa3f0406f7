namespace Cache.Server.Statistics;

/// <summary>The largest buffers of clients in the last seconds.</summary>
/// <remarks>
/// Written by one thread at a time, without a lock: a cell is one word, the second and the size. Others may read cells
/// that are a moment old.
/// </remarks>
internal sealed class BufferPeaks
{
    /// <summary>The seconds that count, as in Redis.</summary>
    public const int Seconds = 8;

    private const int MsPerSecond = 1000;

    // Up to 64 GB; of the second the lower 28 bits, which come again after eight years.
    private const int SizeBits = 36;
    private const long SizeMask = (1L << SizeBits) - 1;

    private readonly Window _input = new();
    private readonly Window _output = new();

    /// <summary>Notes the bytes of a read, with those that were left of the read before.</summary>
    public void NoteInput(long nowMs, long bytes) => _input.Note(nowMs, bytes);

    /// <summary>Notes the bytes of replies that are sent at once.</summary>
    public void NoteOutput(long nowMs, long bytes) => _output.Note(nowMs, bytes);

    /// <summary>The largest of the last seconds.</summary>
    public (long Input, long Output) Read(long nowMs) => (_input.Read(nowMs), _output.Read(nowMs));

    private sealed class Window
    {
        private readonly long[] _cells = new long[Seconds];

        // Of the second of the last note; for the writer alone.
        private long _endMs;
        private long _largest;

        public void Note(long nowMs, long bytes)
        {
            if (bytes > _largest || nowMs >= _endMs)
                Write(nowMs, bytes);
        }

        public long Read(long nowMs)
        {
            long second = SecondOf(nowMs);
            long largest = 0;
            foreach (ref long cell in _cells.AsSpan())
            {
                long read = Volatile.Read(ref cell);
                if (second - (read >>> SizeBits) < Seconds)
                    largest = Math.Max(largest, read & SizeMask);
            }

            return largest;
        }

        private void Write(long nowMs, long bytes)
        {
            long second = SecondOf(nowMs);
            _endMs = nowMs - nowMs % MsPerSecond + MsPerSecond;
            _largest = bytes;
            Volatile.Write(ref _cells[second % Seconds], (second << SizeBits) | Math.Min(bytes, SizeMask));
        }

        private static long SecondOf(long nowMs) => nowMs / MsPerSecond & ((1L << (64 - SizeBits)) - 1);
    }
}
