using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Core.Tests.Sharing;

/// <summary>
/// Reads where the store's native memory may not be written: one that writes, even what is there already, ends the
/// process.
/// </summary>
/// <remarks>Each runs in a process of its own.</remarks>
public sealed class ProtectedReadsTests
{
    private const string ChildVariable = "CACHE_PROTECTED_READS";
    private const string Done = "all was read";
    private const int ReadOnly = 1;
    private const int ReadWrite = 1 | 2;

    [Theory]
    [MemberData(nameof(StoreReads.Names), MemberType = typeof(StoreReads))]
    public void Read_InSteadyState_WritesNoNativeMemory(string name) =>
        Assert.True(RunAlone(nameof(Read_InSteadyState_WritesNoNativeMemory), name, () =>
        {
            using var reads = new StoreReads(name);
            reads.Run();
            Protected(reads.Store, reads.Run);
        }));

    /// <summary>That the others can fail.</summary>
    [Fact]
    public void Read_OfAKeyThatIsUsedForTheFirstTime_IsCaught() =>
        Assert.Equal(!OperatingSystem.IsLinux(), RunAlone(
            nameof(Read_OfAKeyThatIsUsedForTheFirstTime_IsCaught), "", static () =>
            {
                using var fixture = StoreReads.Filled(default);
                fixture.Set("key", "value");
                Protected(fixture.Store, () => fixture.Get("key"));
            }));

    private static void Protected(CacheStore store, Action action)
    {
        var reservations = StoreImage.Of(store).Reservations.Values;
        Assert.NotEmpty(reservations);
        foreach (var reservation in reservations)
            Assert.Equal(0, Protect(reservation.Address, (nuint)reservation.Length, ReadOnly));
        action();
        foreach (var reservation in reservations)
            Assert.Equal(0, Protect(reservation.Address, (nuint)reservation.Length, ReadWrite));
    }

    /// <returns>Whether the process came to the end of the test.</returns>
    private static bool RunAlone(string method, string name, Action test)
    {
        if (!OperatingSystem.IsLinux())
            return true;
        string own = $"{method} {name}";
        if (Environment.GetEnvironmentVariable(ChildVariable) is { } asked)
        {
            if (asked != own)
                return true; // Another row, which the process was not started for.
            test();
            Console.WriteLine(Done);
            return method != nameof(Read_OfAKeyThatIsUsedForTheFirstTime_IsCaught);
        }

        var start = new ProcessStartInfo(Environment.ProcessPath!)
        {
            ArgumentList = { "-method", $"{typeof(ProtectedReadsTests).FullName}.{method}" },
            Environment = { [ChildVariable] = own, ["DOTNET_DbgEnableMiniDump"] = "0" },
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var process = Process.Start(start)!;
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginErrorReadLine();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return output.Contains(Done, StringComparison.Ordinal);
    }

    [DllImport("libc", EntryPoint = "mprotect", ExactSpelling = true)]
    private static extern int Protect(nuint address, nuint length, int protection);
}
