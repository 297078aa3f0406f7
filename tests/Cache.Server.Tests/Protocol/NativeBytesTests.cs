using Cache.Server.Protocol;

namespace Cache.Server.Tests.Protocol;

public sealed class NativeBytesTests
{
    [Fact]
    public void Grow_Always_KeepsWhatItHolds()
    {
        using var bytes = new NativeBytes(5000);
        bytes.Span.Fill(1);
        for (int length = 5000; length < 40_000_000; length *= 2)
        {
            bytes.Grow(2 * length);
            Assert.Equal(2 * length, bytes.Span.Length);
            Assert.Equal(-1, bytes.Span[..length].IndexOfAnyExcept((byte)1));
            bytes.Span[length..].Fill(1);
        }
    }

    [Fact]
    public void Dispose_Twice_LeavesNothing()
    {
        var bytes = new NativeBytes(1);
        bytes.Dispose();
        bytes.Dispose();

        Assert.Equal((0, 0), (bytes.Length, bytes.Span.Length));
    }
}
