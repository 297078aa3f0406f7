namespace Cache.Core;

/// <summary>How a short value is made out of the present one, handed down to <see cref="CacheStore.Update"/>.</summary>
/// <remarks>
/// A struct type argument. It is asked as often as the key, or a key that lies beside it, is written meanwhile, a few
/// times at the most; the last time while others wait for it. So it calculates; it never awaits, blocks, or calls the
/// store, and keeps no span.
/// </remarks>
public interface IValueUpdate
{
    /// <summary>The longest present value that it can do anything with.</summary>
    int LengthMax { get; }

    /// <summary>The new value, after it was made.</summary>
    ReadOnlySpan<byte> Value { get; }

    /// <summary>Makes the new value.</summary>
    /// <param name="present">The present value, valid until it returns; empty if there is none.</param>
    /// <param name="exists">Whether there is one.</param>
    /// <returns>False: nothing is to be written.</returns>
    bool TryMake(ReadOnlySpan<byte> present, bool exists);
}
