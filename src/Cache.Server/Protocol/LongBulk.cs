using Cache.Server.Transport;

namespace Cache.Server.Protocol;

/// <summary>A copy of a long bulk string, in memory that is given back once it is sent.</summary>
internal sealed class LongBulk(int length) : LentBytes
{
    /// <summary>Shorter ones are in the output's own memory.</summary>
    public const int LengthMin = 1 << 20;

    private readonly NativeBytes _bytes = new(length);

    public override ReadOnlySpan<byte> Span => _bytes.Span;

    public override ReadOnlyMemory<byte> Memory => new BulkMemory(_bytes).Memory;

    /// <summary>The memory for the bytes.</summary>
    public Span<byte> Room => _bytes.Span;

    public override void Dispose() => _bytes.Dispose();

    private sealed class BulkMemory(NativeBytes bytes) : CopiedMemory
    {
        public override Span<byte> GetSpan() => bytes.Span;
    }
}
