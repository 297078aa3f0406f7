using System.Buffers;

namespace Cache.Core.Tests.Distributed;

/// <summary>A segment of a sequence that is not in one piece.</summary>
internal sealed class SegmentedBytes : ReadOnlySequenceSegment<byte>
{
    public static ReadOnlySequence<byte> Split(ReadOnlyMemory<byte> bytes, int segmentLength)
    {
        var first = new SegmentedBytes { Memory = bytes[..Math.Min(segmentLength, bytes.Length)] };
        var last = first;
        for (int offset = segmentLength; offset < bytes.Length; offset += segmentLength)
        {
            var next = new SegmentedBytes
            {
                Memory = bytes.Slice(offset, Math.Min(segmentLength, bytes.Length - offset)),
                RunningIndex = offset,
            };
            last.Next = next;
            last = next;
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    /// <summary>The same with an empty segment behind each.</summary>
    public static ReadOnlySequence<byte> SplitWithGaps(ReadOnlyMemory<byte> bytes, int segmentLength)
    {
        var first = new SegmentedBytes();
        var last = first;
        for (int offset = 0; offset < bytes.Length; offset += segmentLength)
        {
            last = last.Append(bytes.Slice(offset, Math.Min(segmentLength, bytes.Length - offset)));
            last = last.Append(default);
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private SegmentedBytes Append(ReadOnlyMemory<byte> memory)
    {
        var next = new SegmentedBytes { Memory = memory, RunningIndex = RunningIndex + Memory.Length };
        Next = next;
        return next;
    }
}
