namespace Cache.Core;

/// <summary>Takes a value as a new array.</summary>
internal struct ArraySink : IValueSink
{
    private byte[]? _array;

    /// <summary>The value, once it was taken.</summary>
    public byte[]? Array { get; private set; }

    public Span<byte> GetSpan(int length) =>
        _array = length == 0 ? [] : GC.AllocateUninitializedArray<byte>(length);

    public void Advance(int length) => Array = _array;
}
