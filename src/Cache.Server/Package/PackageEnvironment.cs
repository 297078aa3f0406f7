using System.Buffers;
using System.Runtime.InteropServices;
using System.Text.Json;
using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Package;

/// <summary>The machine and the runtime, and environment variables of a fixed list.</summary>
internal static class PackageEnvironment
{
    // A number, a switch, or a mask of processors in hexadecimal.
    private const int ValueLengthMax = 18;

    private static readonly SearchValues<char> _digits = SearchValues.Create("0123456789ABCDEFabcdef");

    // What changes the runtime's speed or memory. The names of others may be as telling as their values.
    private static readonly string[] _variables =
    [
        "DOTNET_gcServer", "DOTNET_gcConcurrent", "DOTNET_GCHeapCount", "DOTNET_GCHeapHardLimit",
        "DOTNET_GCHeapHardLimitPercent", "DOTNET_GCConserveMemory", "DOTNET_GCgen0size", "DOTNET_GCNoAffinitize",
        "DOTNET_GCHeapAffinitizeMask", "DOTNET_GCDynamicAdaptationMode", "DOTNET_TieredCompilation",
        "DOTNET_TieredPGO", "DOTNET_ReadyToRun", "DOTNET_TC_QuickJitForLoops", "DOTNET_PROCESSOR_COUNT",
        "DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "DOTNET_RUNNING_IN_CONTAINER",
        "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "DOTNET_EnableDiagnostics",
    ];

    public static void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteString("version", ServerState.Version);
        json.WriteString("runtime", RuntimeInformation.FrameworkDescription);
        json.WriteString("os", OperatingSystem.IsLinux() ? "Linux" : OperatingSystem.IsWindows() ? "Windows" : "other");
        json.WriteString("os-version", Environment.OSVersion.Version.ToString());
        json.WriteString("architecture", RuntimeInformation.ProcessArchitecture.ToString());
        json.WriteNumber("processors", Environment.ProcessorCount);
        json.WriteNumber("available-memory-bytes", CacheOptions.AvailableMemoryBytes);
        json.WriteNumber("page-bytes", Environment.SystemPageSize);
        json.WriteBoolean("is-64-bit", Environment.Is64BitProcess);
        json.WriteStartObject("variables");
        foreach (string name in _variables)
        {
            if (Environment.GetEnvironmentVariable(name) is { } value)
                json.WriteString(name, IsSetting(value) ? value : PackageNames.Hidden);
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static bool IsSetting(string value) =>
        bool.TryParse(value, out _)
        || (value.Length <= ValueLengthMax
            && !value.AsSpan(value.StartsWith("0x", StringComparison.Ordinal) ? 2 : 0)
                .ContainsAnyExcept(_digits));
}
