namespace Cache.Reliability.Tests.Heavy;

/// <summary>Bytes that are made as they are asked for, and never lie together.</summary>
internal sealed class PartStream(IEnumerable<ReadOnlyMemory<byte>> parts) : IDisposable
{
    private readonly IEnumerator<ReadOnlyMemory<byte>> _parts = parts.GetEnumerator();
    private ReadOnlyMemory<byte> _rest;

    public bool IsAtEnd
    {
        get
        {
            while (_rest.IsEmpty)
            {
                if (!_parts.MoveNext())
                    return true;
                _rest = _parts.Current;
            }

            return false;
        }
    }

    /// <summary>Takes the next bytes, as many as there are room and bytes for.</summary>
    public int Read(Span<byte> target)
    {
        int count = 0;
        while (count < target.Length && !IsAtEnd)
        {
            int length = Math.Min(target.Length - count, _rest.Length);
            _rest.Span[..length].CopyTo(target[count..]);
            _rest = _rest[length..];
            count += length;
        }

        return count;
    }

    /// <summary>Takes as many bytes as are given, or as are left, and compares them.</summary>
    /// <returns>How many; -1 if they are others.</returns>
    public int Compare(ReadOnlySpan<byte> bytes)
    {
        int count = 0;
        while (count < bytes.Length && !IsAtEnd)
        {
            int length = Math.Min(bytes.Length - count, _rest.Length);
            if (!_rest.Span[..length].SequenceEqual(bytes.Slice(count, length)))
                return -1;
            _rest = _rest[length..];
            count += length;
        }

        return count;
    }

    public void Dispose() => _parts.Dispose();
}
