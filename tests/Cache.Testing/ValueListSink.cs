using Cache.Core;

namespace Cache.Testing;

/// <summary>Takes the values of several keys as arrays, null for an absent one.</summary>
internal struct ValueListSink() : IValueBatchSink
{
    private byte[] _next = [];

    public List<byte[]?> Values { get; } = [];

    public readonly bool IsFull => false;

    public Span<byte> GetSpan(int length) => _next = new byte[length];

    public readonly void Advance(int length) => Values.Add(_next[..length]);

    public readonly void Miss() => Values.Add(null);

    public readonly void Restart() => Values.Clear();
}
