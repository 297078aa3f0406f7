namespace Cache.Core;

/// <summary>Computes a short value from the present one, for <see cref="CacheStore.Update"/>.</summary>
/// <remarks>
/// A struct type argument. It is called again if the key, or another key in its bucket, is written meanwhile, a few
/// times at most; the last time under a lock. So it only computes: it never awaits, blocks, or calls the store, and
/// keeps no span.
/// </remarks>
public interface IValueUpdate
{
    /// <summary>The longest present value that it can use.</summary>
    int LengthMax { get; }

    /// <summary>The new value, after it was computed.</summary>
    ReadOnlySpan<byte> Value { get; }

    /// <summary>Computes the new value.</summary>
    /// <param name="present">The present value, valid until it returns; empty if there is none.</param>
    /// <param name="exists">Whether there is one.</param>
    /// <returns>False: nothing is written.</returns>
    bool TryMake(ReadOnlySpan<byte> present, bool exists);
}
