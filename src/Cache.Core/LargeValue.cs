using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>A large value that is written in its final place, before it gets a key.</summary>
/// <remarks>
/// Created by <see cref="CacheStore.TryCreateValue"/>, filled through <see cref="Span"/>, and handed over to the store
/// by <see cref="CacheStore.Set(ReadOnlySpan{byte}, LargeValue, in EntryOptions)"/>, which copies nothing. Takes
/// memory as it is filled, and counts against the store's limit from the moment it is set. One thread at a time.
/// <example><code>
/// if (store.TryCreateValue(length, out var value))
/// {
///     using (value)
///     {
///         file.ReadExactly(value.Span);
///         store.Set("page"u8, value, default);
///     }
/// }
/// </code></example>
/// </remarks>
public sealed class LargeValue : IDisposable
{
    private readonly StoreState _state;
    private LargeBlock _block;

    internal LargeValue(StoreState state, LargeBlock block)
    {
        _state = state;
        _block = block;
    }

    /// <summary>The value's bytes, undefined until written; valid until the value is set or disposed.</summary>
    /// <exception cref="ObjectDisposedException">It was set or disposed.</exception>
    public Span<byte> Span
    {
        get
        {
            ObjectDisposedException.ThrowIf(_block.IsNull, this);
            return _block.Value;
        }
    }

    /// <summary>Gives the memory back, unless a store has taken it over.</summary>
    public void Dispose()
    {
        if (!_block.IsNull)
            _state.ReleaseUncounted(_block);
        _block = default;
    }

    /// <summary>Hands the block over to the caller.</summary>
    /// <exception cref="ArgumentException">Another store made it.</exception>
    /// <exception cref="ObjectDisposedException">It was set or disposed.</exception>
    internal LargeBlock Take(StoreState state)
    {
        if (state != _state)
            throw new ArgumentException("The value was made by another store.", nameof(state));
        ObjectDisposedException.ThrowIf(_block.IsNull, this);
        var block = _block;
        _block = default;
        return block;
    }
}
