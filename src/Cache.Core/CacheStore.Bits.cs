using Cache.Core.Bits;

namespace Cache.Core;

/// <summary>Operations on the bits of a value.</summary>
public sealed partial class CacheStore
{
    /// <summary>Reads and writes numbers of some bits within a value, in order and atomically.</summary>
    /// <remarks>
    /// A value is extended with zeros up to the last byte that a step writes, even if the step fails for an overflow;
    /// the expiry stays. An absent key counts as empty; steps that only read do not create it.
    /// <example><code>
    /// Span&lt;BitFieldStep&gt; steps = [new() { Action = BitFieldAction.Add, Width = 8, Offset = 16, Value = 1 }];
    /// store.ChangeBits("counters"u8, steps);
    /// long? count = steps[0].Result;
    /// </code></example>
    /// </remarks>
    /// <param name="key">The key.</param>
    /// <param name="steps">The steps; receive the results, which are valid if the status is Done or NotFound.</param>
    /// <returns>
    /// Done; NotFound if all steps only read and there is no live entry; OutOfMemory, ValueTooLong or KeyTooLong.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">A width or an offset is out of its range.</exception>
    public WriteStatus ChangeBits(ReadOnlySpan<byte> key, Span<BitFieldStep> steps)
    {
        var status = TryPrepare(key, steps, out int lengthMin);
        return status == WriteStatus.Done
            ? Counted(BitFieldWriter.Run(_state, KeyOf(key), steps, lengthMin))
            : status;
    }

    /// <summary>As <see cref="ChangeBits"/>, if that takes only some microseconds.</summary>
    /// <param name="key">The key.</param>
    /// <param name="steps">The steps; receive the results.</param>
    /// <param name="status">The status as of <see cref="ChangeBits"/>.</param>
    /// <returns>False if a long value must be copied, or there are thousands of steps: nothing was done.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A width or an offset is out of its range.</exception>
    public bool TryChangeBitsInPlace(ReadOnlySpan<byte> key, Span<BitFieldStep> steps, out WriteStatus status)
    {
        status = TryPrepare(key, steps, out int lengthMin);
        if (status != WriteStatus.Done)
            return true;
        bool isDone = BitFieldWriter.TryRunInPlace(_state, KeyOf(key), steps, lengthMin, out status);
        Counted(status);
        return isDone;
    }

    private WriteStatus TryPrepare(ReadOnlySpan<byte> key, Span<BitFieldStep> steps, out int lengthMin)
    {
        long length = 0;
        foreach (ref var step in steps)
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(step.Width);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(step.Width, step.IsSigned ? 64 : 63);
            ArgumentOutOfRangeException.ThrowIfNegative(step.Offset);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(step.Offset, long.MaxValue - step.Width);
            length = Math.Max(length, step.LengthMin);
        }

        ThrowIfDisposed();
        lengthMin = (int)Math.Min(length, int.MaxValue);
        if (key.Length > KeyLengthMax && length > 0)
            return WriteStatus.KeyTooLong;
        return length > _state.ValueLengthMax ? WriteStatus.ValueTooLong : WriteStatus.Done;
    }
}
