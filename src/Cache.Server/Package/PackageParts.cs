using System.Buffers;
using System.Text.Json;
using Cache.Server.Commands.Administration;
using Cache.Server.Doctor;

namespace Cache.Server.Package;

/// <summary>The parts of a package, in the order of its files.</summary>
internal static class PackageParts
{
    public static IReadOnlyList<PackagePart> All { get; } =
    [
        Json(PackageFormat.FiguresName, static (json, source) => JsonSerializer.Serialize(
            json, DoctorReading.Of(source.Server, source.Names), FigureJson.Default.DoctorFigures)),
        new("info.txt", static (output, source) => output.Write(PackageInfo.Of(source.Server))),
        Json("config.json", PackageConfiguration.Write),
        new(PackageFormat.SecondsName, static (output, source) =>
            PackageHistory.Write(output, source, isCoarse: false)),
        new(PackageFormat.TensName, static (output, source) =>
            PackageHistory.Write(output, source, isCoarse: true)),
        Json(PackageFormat.SlowLogName, static (json, source) =>
            PackageLogs.Write(json, source.Server.SlowLog, "microseconds", source)),
        Json("large-requests.json", static (json, source) =>
            PackageLogs.Write(json, source.Server.LargeRequests, "bytes", source)),
        Json("large-replies.json", static (json, source) =>
            PackageLogs.Write(json, source.Server.LargeReplies, "bytes", source)),
        Json("latency.json", PackageLogs.WriteLatency),
        Json("clients.json", PackageClients.Write),
        Json(PackageFormat.KeysName, PackageKeys.Write),
        Json("largest-keys.json", PackageKeys.WriteLargest),
        Json("prefixes.json", PackageKeys.WritePrefixes),
        Json("curve.json", static (json, source) => PackageKeys.WriteCurve(json, source.Server)),
        Json("memory.json", static (json, source) => WriteMemory(json, source)),
        Json("runtime.json", static (json, _) => PackageRuntime.Write(json)),
        Json(PackageFormat.EventsName, PackageEvents.Write),
        Json("environment.json", static (json, _) => PackageEnvironment.Write(json)),
    ];

    private static PackagePart Json(string name, Action<Utf8JsonWriter, PackageSource> write) =>
        new(name, (output, source) =>
        {
            using var json = new Utf8JsonWriter(output);
            write(json, source);
        });

    private static void WriteMemory(Utf8JsonWriter json, PackageSource source)
    {
        json.WriteStartObject();
        foreach (var (name, bytes) in MemoryKinds.Of(source.Server))
            json.WriteNumber(name, bytes);
        json.WriteEndObject();
    }
}
