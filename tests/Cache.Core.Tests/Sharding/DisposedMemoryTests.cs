using System.Globalization;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Sharding;

/// <summary>What a store occupies after its end.</summary>
[Collection(nameof(ProcessWideCollection))]
public sealed class DisposedMemoryTests
{
    // What takes so long on the slowest machine does not happen.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    [Fact]
    public void Dispose_GivesTheMemoryBackAtOnce()
    {
        if (!OperatingSystem.IsLinux())
            return; // There it goes back with the addresses.
        const long Bytes = 256 << 20;
        var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 2 * Bytes });
        byte[] value = new byte[10_000];
        for (int i = 0; i < Bytes / value.Length; i++)
            store.Set(BitConverter.GetBytes(i), value);
        long before = Environment.WorkingSet;

        store.Dispose();

        Assert.True(before - Environment.WorkingSet > Bytes / 2, $"{before} → {Environment.WorkingSet}");
    }

    // By the system's count; nothing here asks for a collection.
    [Fact]
    public async Task Dispose_OfManyStores_GivesTheirAddressesBackUnasked()
    {
        if (!OperatingSystem.IsLinux())
            return;
        const int Stores = 2 * NativeReservation.ClosedPerCollection;
        long before = ReadMappedKb();
        UseOne(out long mappedByOneKb);
        Assert.True(mappedByOneKb > 1 << 20, $"{mappedByOneKb} KB"); // Else there would be nothing to see.

        for (int i = 0; i < Stores; i++)
            UseOne(out _);

        // What was closed since the last collection was asked for stays, at most.
        long start = TimeProvider.System.GetTimestamp();
        long left;
        while ((left = ReadMappedKb() - before) > mappedByOneKb * NativeReservation.ClosedPerCollection)
        {
            Assert.True(
                TimeProvider.System.GetElapsedTime(start) < _patience,
                $"{left} KB of {mappedByOneKb} KB for each of {Stores} are mapped still.");
            await Task.Yield();
        }

        Assert.InRange(NativeReservation.ClosedCount, 0, 2 * NativeReservation.ClosedPerCollection);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Nobody holds it afterwards.
    private static void UseOne(out long mappedKb)
    {
        long before = ReadMappedKb();
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 2 << 20 });
        store.Set("k"u8, "v"u8);
        mappedKb = ReadMappedKb() - before;
    }

    private static long ReadMappedKb()
    {
        const string Label = "VmSize:";
        string line = File.ReadLines("/proc/self/status").First(
            static line => line.StartsWith(Label, StringComparison.Ordinal));
        return long.Parse(
            line.AsSpan(Label.Length).TrimEnd("kB "), NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);
    }
}
