namespace Cache.Core;

/// <summary>Copies a value to a new array.</summary>
internal struct ArraySink : IValueSink
{
    private byte[]? _array;

    /// <summary>The value, after the read.</summary>
    public byte[]? Array { get; private set; }

    public Span<byte> GetSpan(int length) =>
        _array = length == 0 ? [] : GC.AllocateUninitializedArray<byte>(length);

    public void Advance(int length) => Array = _array;
}
