using System.Buffers;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>A large value of a store, read without a copy.</summary>
/// <remarks>
/// Unchanged until it is disposed, even if its entry changes or is removed; until then its memory counts against the
/// store's limit. May outlive the store. One thread at a time.
/// <example><code>
/// if (store.TryGet(key, store.BeginPrefetch(key), ref sink, lentLengthMin: 128 * 1024, out var lent))
/// {
///     using (lent)
///     {
///         if (lent is not null)
///             socket.Send(lent.Span);
///     }
/// }
/// </code></example>
/// </remarks>
public sealed class LentValue : IDisposable
{
    private readonly StoreState _state;
    private LargeBlock _block;
    private MemoryManager<byte>? _memory;

    internal LentValue(StoreState state, LargeBlock block)
    {
        _state = state;
        _block = block;
    }

    /// <summary>The value's bytes. Valid until the value is disposed.</summary>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    public ReadOnlySpan<byte> Span
    {
        get
        {
            ObjectDisposedException.ThrowIf(_block.IsNull, this);
            return _block.Value;
        }
    }

    /// <summary>
    /// The same bytes as memory, for a stream that takes no span. Valid until the value is disposed; then its span
    /// throws <see cref="ObjectDisposedException"/>.
    /// </summary>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    public ReadOnlyMemory<byte> Memory
    {
        get
        {
            ObjectDisposedException.ThrowIf(_block.IsNull, this);
            return (_memory ??= _block.TakeMemory()).Memory;
        }
    }

    /// <summary>Gives the memory back to the store; if the entry was removed meanwhile, to the system.</summary>
    public void Dispose()
    {
        (_memory as IDisposable)?.Dispose();
        if (!_block.IsNull)
            _state.Return(_block);
        _block = default;
    }
}
