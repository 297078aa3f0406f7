using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Doctor;
using Cache.Server.Package;

namespace Cache.Tool.Tests.Analysis;

/// <summary>A package to be spoiled.</summary>
internal sealed class TestPackage
{
    private TestPackage(Dictionary<string, byte[]> parts) => Parts = parts;

    /// <summary>The parts, without the manifest.</summary>
    public Dictionary<string, byte[]> Parts { get; }

    /// <summary>What the manifest says, before the list of parts.</summary>
    public string Head { get; set; } =
        "\"format\":\"cache-package\",\"version\":1,\"server-version\":\"0.1.0\",\"made-at-ms\":1767225600000,"
        + "\"uptime-ms\":90061000,\"keys\":\"hash\"";

    /// <summary>What a server has made.</summary>
    public static TestPackage Of(Action<ServerState>? prepare = null)
    {
        using var store = new CacheStore(
            new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, new FakeTimeProvider());
        var server = TestServerState.Create(store);
        prepare?.Invoke(server);
        var parts = new Dictionary<string, byte[]>();
        using var zip = new ZipArchive(new MemoryStream(PackageWriter.Write(server, KeyExposure.Hash)));
        foreach (var entry in zip.Entries)
        {
            using var content = entry.Open();
            using var bytes = new MemoryStream();
            content.CopyTo(bytes);
            if (entry.FullName != PackageFormat.ManifestName)
                parts.Add(entry.FullName, bytes.ToArray());
        }

        return new TestPackage(parts);
    }

    public TestPackage With(DoctorFigures figures)
    {
        Parts[PackageFormat.FiguresName] =
            JsonSerializer.SerializeToUtf8Bytes(figures, FigureJson.Default.DoctorFigures);
        return this;
    }

    public string Manifest() =>
        $"{{{Head},\"parts\":[" + string.Join(',', Parts.Select(static part => string.Create(
            System.Globalization.CultureInfo.InvariantCulture,
            $"{{\"name\":\"{part.Key}\",\"bytes\":{part.Value.Length},\"sha256\":\"{HashOf(part.Value)}\"}}"))) + "]}";

    /// <summary>Writes the zip.</summary>
    public void Save(string path) => Save(path, [("manifest.json", Encoding.UTF8.GetBytes(Manifest())), .. Files]);

    public static void Save(string path, IEnumerable<(string Name, byte[] Bytes)> files)
    {
        using var zip = new ZipArchive(File.Create(path), ZipArchiveMode.Create);
        foreach (var (name, bytes) in files)
        {
            using var content = zip.CreateEntry(name).Open();
            content.Write(bytes);
        }
    }

    public IEnumerable<(string Name, byte[] Bytes)> Files => Parts.Select(static part => (part.Key, part.Value));

    private static string HashOf(byte[] bytes) => Convert.ToHexStringLower(SHA256.HashData(bytes));
}
