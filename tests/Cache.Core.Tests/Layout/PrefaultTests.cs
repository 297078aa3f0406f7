using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Layout;

/// <summary>Memory that is taken before it is needed, as the process's resident size shows it.</summary>
public sealed class PrefaultTests
{
    private const long Length = 256 << 20;

    private const int StepsMax = 4;

    // What other tests may give back meanwhile.
    private const long Tolerance = Length / 2;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData(64 << 20, 0)]
    [InlineData((256 << 20) - 1, 0)]
    [InlineData(256 << 20, 2 << 20)]
    [InlineData(1 << 30, 8 << 20)]
    [InlineData(64L << 30, 8 << 20)]
    public void Bytes_AreASmallPartOfTheLimit(long limit, long expected)
    {
        using var reservation = new NativeReservation(Length, Length, hugePages: true);
        Assert.Equal(expected, new Prefault(reservation, 0, limit, StepsMax).Bytes);
    }

    [Fact]
    public void Populate_TakesTheMemory()
    {
        if (!OperatingSystem.IsLinux())
            return;
        using var reservation = new NativeReservation(Length, Length, hugePages: true);
        long before = ResidentBytes;
        reservation.Populate(0, Length);
        Assert.InRange(ResidentBytes - before, Length - Tolerance, long.MaxValue);
    }

    [Fact]
    public void Populate_KeepsWhatIsThere()
    {
        using var index = new IndexMemory(Length, Length, hugePages: true);
        Assert.True(index.TryAllocate(out uint page, out _));
        index.Pages[page][0].InitializeVersion(42);
        for (int i = 1; i < Length / IndexPage.Size; i++)
            Assert.True(index.TryAllocate(out _, out _));
        Assert.Equal(42u, index.Pages[page][0].ReadVersion());
    }

    [Fact]
    public void Request_AsItIsReached_TakesAllMemoryInTheBackground()
    {
        if (!OperatingSystem.IsLinux())
            return;
        using var reservation = new NativeReservation(Length, Length, hugePages: true);
        long before = ResidentBytes;
        var prefault = new Prefault(reservation, 0, 1 << 30, StepsMax);
        var waited = Stopwatch.StartNew();
        for (long at = 0; ResidentBytes - before < Length - Tolerance; at = (at + Prefault.Step) % Length)
        {
            Assert.True(waited.Elapsed < _patience, $"{ResidentBytes - before} bytes after {waited.Elapsed}");
            prefault.Request(at, prefault.Bytes);
            Thread.Sleep(1);
        }
    }

    [Fact]
    public void Request_OfADisposedReservation_DoesNothing()
    {
        var reservation = new NativeReservation(Length, Length, hugePages: true);
        var prefault = new Prefault(reservation, 0, 1 << 30, StepsMax);
        reservation.Dispose();
        long before = ResidentBytes;
        ((IThreadPoolWorkItem)prefault).Execute();
        reservation.Populate(0, Length);
        Assert.InRange(ResidentBytes - before, long.MinValue, Tolerance);
    }

    private static long ResidentBytes
    {
        get
        {
            using var process = Process.GetCurrentProcess();
            return process.WorkingSet64;
        }
    }
}
