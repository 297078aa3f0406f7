using System.Buffers;
using System.IO.Compression;
using System.Security.Cryptography;
using System.Text.Json;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Package;

/// <summary>Makes the package that tells somebody far away how a server does: a zip of its figures.</summary>
/// <remarks>
/// It has no value, no argument, no password, and of keys and clients what <see cref="PackageNames"/> makes of them.
/// Whatever else is added must not be a text that a client or an operator has chosen.
/// </remarks>
internal static class PackageWriter
{
    // The oldest moment that a zip can name: when a package was made stands in its manifest.
    private static readonly DateTimeOffset _entryTime = new(1980, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public static byte[] Write(ServerState server, KeyExposure exposure)
    {
        var source = new PackageSource(server, new PackageNames(exposure, server.Settings.PrefixSeparator));
        var manifest = new ArrayBufferWriter<byte>();
        using var stream = new MemoryStream();
        using (var zip = new ZipArchive(stream, ZipArchiveMode.Create, leaveOpen: true))
        {
            using var json = new Utf8JsonWriter(manifest, new JsonWriterOptions { Indented = true });
            Begin(json, server, exposure);
            foreach (var part in PackageParts.All)
            {
                var bytes = new ArrayBufferWriter<byte>();
                part.Write(bytes, source);
                Add(zip, part.Name, bytes.WrittenSpan);
                json.WriteStartObject();
                json.WriteString("name", part.Name);
                json.WriteNumber("bytes", bytes.WrittenCount);
                json.WriteString("sha256", Convert.ToHexStringLower(SHA256.HashData(bytes.WrittenSpan)));
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
            json.Flush();
            Add(zip, PackageFormat.ManifestName, manifest.WrittenSpan);
        }

        return stream.ToArray();
    }

    private static void Begin(Utf8JsonWriter json, ServerState server, KeyExposure exposure)
    {
        json.WriteStartObject();
        json.WriteString("format", PackageFormat.Name);
        json.WriteNumber("version", PackageFormat.Version);
        json.WriteString("server-version", ServerState.Version);
        json.WriteNumber("made-at-ms", server.UnixMicroseconds / 1000);
        json.WriteNumber("uptime-ms", server.NowMs - server.StartedAtMs);
        json.WriteString("keys", exposure.ToString().ToLowerInvariant());
        json.WriteStartArray("parts");
    }

    private static void Add(ZipArchive zip, string name, ReadOnlySpan<byte> bytes)
    {
        var entry = zip.CreateEntry(name, CompressionLevel.Fastest);
        entry.LastWriteTime = _entryTime;
        using var content = entry.Open();
        content.Write(bytes);
    }
}
