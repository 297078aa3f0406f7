using System.Diagnostics;
using Cache.Core;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>Takes several HyperLogLogs, as of one moment, and keeps the highest of each register.</summary>
/// <param name="memory">For one value that is too long, which may have come meanwhile.</param>
/// <param name="buffer">For a value, <see cref="HllFormat.LengthMax"/> or more bytes.</param>
/// <param name="most">The registers, of a byte each; <see cref="HllFormat.Registers"/> or more bytes.</param>
internal struct HllUnion(ByteStringList memory, byte[] buffer, byte[] most) : IValueBatchSink
{
    /// <summary>Why the last one that was taken is none: no further one is taken.</summary>
    public HllFault Fault { get; private set; }

    /// <summary>Whether any is dense.</summary>
    public bool IsDense { get; private set; }

    private int _taken;

    /// <summary>Whether the first key is only checked.</summary>
    public bool LeavesOutFirst { get; init; }

    private readonly Span<byte> Registers => most.AsSpan(0, HllFormat.Registers);

    public readonly bool IsFull => Fault != HllFault.None;

    public readonly Span<byte> GetSpan(int length)
    {
        if (length <= HllFormat.LengthMax)
            return buffer.AsSpan(0, length);
        memory.Clear();
        return memory.GetSpan(length);
    }

    public void Advance(int length)
    {
        if (length > HllFormat.LengthMax)
        {
            Fault = HllFault.OtherString;
            return;
        }

        var text = buffer.AsSpan(0, length);
        Fault = HllFaults.Of(text);
        if (Fault != HllFault.None)
            return;
        if (_taken++ == 0 && LeavesOutFirst)
            return;
        IsDense |= !HllFormat.IsSparse(text);
        bool isMerged = HllFormat.TryMerge(text, Registers);
        Debug.Assert(isMerged, "It is whole.");
    }

    public void Miss() => _taken++;

    public void Restart()
    {
        (Fault, IsDense, _taken) = (HllFault.None, false, 0);
        Registers.Clear();
    }
}
