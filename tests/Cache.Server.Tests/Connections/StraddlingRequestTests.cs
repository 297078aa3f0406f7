using Cache.Server.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

public sealed class StraddlingRequestTests
{
    private const int Megabyte = 1 << 20;
    private const int PageBytes = 4096;

    // Each piece ends where the awaited argument does: no more is known of the request's length.
    [Fact]
    public void Append_ManyArguments_GrowsInFewSteps()
    {
        const int length = 24 * Megabyte;
        byte[] piece = new byte[64 * 1024];
        var request = new StraddlingRequest();
        int steps = 0;
        long movedBytes = 0;
        while (request.Length < length)
        {
            int before = request.Length;
            int capacity = before + request.FreeBytes;
            request.Append(piece, before + piece.Length);
            if (request.Length + request.FreeBytes == capacity)
                continue;
            steps++;
            movedBytes += before;
        }

        request.Clear();
        Assert.InRange(steps, 1, 24);
        Assert.InRange(movedBytes, 1, 4L * length);
    }

    [Fact]
    public void MemoryBytes_OfALongRequest_AreThePagesThatWereFilled()
    {
        byte[] piece = new byte[10_000];
        var request = new StraddlingRequest();
        while (request.Length < 5 * Megabyte)
        {
            request.Append(piece, int.MaxValue);
            if (request.Length > 2 * Megabyte)
                Assert.InRange(request.MemoryBytes, request.Length, request.Length + PageBytes - 1);
        }

        int filled = request.Length;
        request.Cut(1000, 3 * Megabyte);
        Assert.InRange(request.MemoryBytes, filled, filled + PageBytes - 1);

        request.Clear();
        Assert.Equal((0, 0, 0), (request.Length, request.MemoryBytes, request.FreeBytes));
    }

    [Fact]
    public void AppendFillAndCut_Anyhow_KeepTheBytes() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var request = new StraddlingRequest();
        var expected = new List<byte>();
        int length = random.Next(1, 4 * Megabyte);
        while (expected.Count < length)
        {
            byte[] piece = new byte[random.Next(1, random.Next(2) == 0 ? 300 : 300_000)];
            random.NextBytes(piece);
            int awaited = expected.Count + piece.Length + random.Next(0, 500_000);
            if (request.TryBeginFill(awaited))
            {
                int count = Math.Min(piece.Length, request.Room.Length);
                Assert.InRange(expected.Count + count, 1, awaited - 1);
                piece.AsSpan(0, count).CopyTo(request.Room);
                request.Advance(count);
                expected.AddRange(piece.AsSpan(0, count));
            }
            else
            {
                request.Append(piece, awaited);
                expected.AddRange(piece);
            }

            if (random.Next(10) > 0)
                continue;
            int start = random.Next(expected.Count);
            int cut = random.Next(expected.Count - start);
            request.Cut(start, cut);
            expected.RemoveRange(start, cut);
        }

        Assert.True(request.Span.SequenceEqual(expected.ToArray()), "Other bytes.");
        Assert.True(request.MemoryBytes >= request.Length);
        request.Clear();
        Assert.Equal(0, request.MemoryBytes);
    });
}
