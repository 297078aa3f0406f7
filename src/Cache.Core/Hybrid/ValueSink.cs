using System.Buffers;

namespace Cache.Core.Hybrid;

/// <summary>Copies a value to the caller's stack if it fits, else to a pooled array, or to a new one.</summary>
internal ref struct ValueSink(Span<byte> scratch, bool wantsArray) : IValueSink
{
    /// <summary>The bytes of stack that a caller provides: more than most records take as JSON.</summary>
    public const int StackBytes = 512;

    private readonly Span<byte> _scratch = scratch;
    private Span<byte> _span;
    private byte[]? _pooled;

    /// <summary>The value as a new array, if the caller wanted one.</summary>
    public byte[]? Array { get; private set; }

    public ReadOnlySpan<byte> Bytes { get; private set; }

    public Span<byte> GetSpan(int length)
    {
        if (wantsArray)
            return _span = Array = length == 0 ? [] : GC.AllocateUninitializedArray<byte>(length);
        if (length <= _scratch.Length)
            return _span = _scratch;
        if (_pooled is null || _pooled.Length < length)
        {
            Dispose();
            _pooled = ArrayPool<byte>.Shared.Rent(length);
        }

        return _span = _pooled;
    }

    public void Advance(int length) => Bytes = _span[..length];

    public void Dispose()
    {
        if (_pooled is not null)
            ArrayPool<byte>.Shared.Return(_pooled);
        _pooled = null;
    }
}
