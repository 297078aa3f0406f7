using Cache.Server.Transport;

namespace Cache.Server.Tests.Transport;

/// <summary>A target that keeps what is received into it.</summary>
internal sealed class ArrayTarget(int length) : FillTarget
{
    public byte[] Bytes { get; } = new byte[length];

    public int Filled { get; private set; }

    public override Span<byte> Room => Bytes.AsSpan(Filled);

    public override void Advance(int count) => Filled += count;
}
