using Cache.Core;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>Takes a value into a buffer; a length that nobody wrote is an error, even of a torn copy.</summary>
internal ref struct TortureSink(Span<byte> buffer) : IValueSink
{
    private readonly Span<byte> _buffer = buffer;
    private bool _isTaken;
    private int _length;

    /// <summary>The value, if one was taken.</summary>
    public readonly ReadOnlySpan<byte> Value => _buffer[.._length];

    public readonly bool IsTaken => _isTaken;

    public readonly Span<byte> GetSpan(int length)
    {
        if (length < TortureValue.LengthMin || length > _buffer.Length)
            throw new InvalidDataException($"The store asks for {length} bytes, a length that nobody wrote.");
        if (_isTaken)
            throw new InvalidDataException("The store asks for room again after it handed the value over.");
        return _buffer[..length];
    }

    public void Advance(int length)
    {
        _isTaken = true;
        _length = length;
    }
}
