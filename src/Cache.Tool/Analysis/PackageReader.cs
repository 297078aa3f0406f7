using System.IO.Compression;
using System.Security.Cryptography;
using System.Text.Json;
using Cache.Server.Package;
using Cache.Tool.Verbs;

namespace Cache.Tool.Analysis;

/// <summary>Reads a package, which may come from anybody: nothing of it is believed, or written to a disk.</summary>
internal static class PackageReader
{
    // What a zip adds to parts that cannot be compressed.
    private const long FileBytesMax = PackageFormat.BytesMax + (1 << 20);

    private const int NameLengthMax = 64;
    private const int BufferBytes = 1 << 16;

    /// <exception cref="ToolException">It cannot be read, or is no package, or not a whole one.</exception>
    public static PackageContent Read(string path)
    {
        if (Directory.Exists(path))
            throw new ToolException($"{path} is a directory; a package is one file, as cache package writes it.");
        if (!File.Exists(path))
            throw new ToolException($"{path} does not exist.");
        using var file = ReadFile(path);
        try
        {
            using var zip = new ZipArchive(file, ZipArchiveMode.Read);
            return Read(path, ReadParts(path, zip));
        }
        catch (InvalidDataException failure)
        {
            throw Wrong(path, $"it is no zip that can be read ({failure.Message})");
        }
        catch (Exception failure) when (failure is JsonException or InvalidOperationException or KeyNotFoundException
            or FormatException or ArgumentException or OverflowException)
        {
            throw Wrong(path, $"its {PackageFormat.ManifestName} is not as a server writes it");
        }
    }

    /// <summary>The error for a package with a fault.</summary>
    public static ToolException Wrong(string path, string fault) =>
        new($"{path} is no package that can be trusted: {fault}.", ExitCode.Damaged);

    // A pipe has no length, and cannot be read twice.
    private static MemoryStream ReadFile(string path)
    {
        using var file = File.OpenRead(path);
        var bytes = new MemoryStream();
        byte[] buffer = new byte[BufferBytes];
        for (int read; (read = file.Read(buffer)) > 0;)
        {
            bytes.Write(buffer, 0, read);
            if (bytes.Length > FileBytesMax)
                throw Wrong(path, $"no package has more than {PackageFormat.BytesMax} bytes");
        }

        bytes.Position = 0;
        return bytes;
    }

    private static Dictionary<string, byte[]> ReadParts(string path, ZipArchive zip)
    {
        if (zip.Entries.Count > PackageFormat.PartsMax)
        {
            throw Wrong(
                path, $"it has {zip.Entries.Count} files, and no package has more than {PackageFormat.PartsMax}");
        }

        var parts = new Dictionary<string, byte[]>(StringComparer.Ordinal);
        long left = PackageFormat.BytesMax;
        foreach (var entry in zip.Entries)
        {
            if (!IsPlain(entry.FullName))
                throw Wrong(path, $"'{entry.FullName}' is not the name of a part");
            byte[] bytes = ReadPart(path, entry, left);
            left -= bytes.Length;
            if (!parts.TryAdd(entry.FullName, bytes))
                throw Wrong(path, $"it has two files {entry.FullName}");
        }

        return parts;
    }

    private static bool IsPlain(string name) =>
        name.Length is > 0 and <= NameLengthMax && char.IsAsciiLetterLower(name[0]) && name.All(
            static one => char.IsAsciiLetterLower(one) || char.IsAsciiDigit(one) || one is '-' or '.');

    // By the bytes that come: what the zip says of its lengths is not believed.
    private static byte[] ReadPart(string path, ZipArchiveEntry entry, long most)
    {
        using var content = entry.Open();
        using var bytes = new MemoryStream();
        byte[] buffer = new byte[BufferBytes];
        for (int read; (read = content.Read(buffer)) > 0;)
        {
            if (bytes.Length + read > most)
                throw Wrong(path, $"its parts have more than {PackageFormat.BytesMax} bytes together");
            bytes.Write(buffer, 0, read);
        }

        return bytes.ToArray();
    }

    private static PackageContent Read(string path, Dictionary<string, byte[]> parts)
    {
        if (!parts.Remove(PackageFormat.ManifestName, out byte[]? bytes))
            throw Wrong(path, $"it has no {PackageFormat.ManifestName}");
        using var manifest = JsonDocument.Parse(bytes);
        var root = manifest.RootElement;
        if (root.GetProperty("format").GetString() != PackageFormat.Name)
            throw Wrong(path, $"its format is not {PackageFormat.Name}");
        int version = root.GetProperty("version").GetInt32();
        if (version is < 1 or > PackageFormat.Version)
        {
            throw new ToolException(
                $"{path} is of version {version}, and this program reads version {PackageFormat.Version}: a newer "
                + "cache made it.",
                ExitCode.Damaged);
        }

        Check(path, root.GetProperty("parts"), parts);
        return new PackageContent(
            root.GetProperty("server-version").GetString() ?? "",
            DateTimeOffset.FromUnixTimeMilliseconds(root.GetProperty("made-at-ms").GetInt64()),
            TimeSpan.FromMilliseconds(root.GetProperty("uptime-ms").GetInt64()),
            root.GetProperty("keys").GetString() ?? "",
            parts);
    }

    private static void Check(string path, JsonElement listed, Dictionary<string, byte[]> parts)
    {
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach (var part in listed.EnumerateArray())
        {
            string name = part.GetProperty("name").GetString() ?? "";
            names.Add(name);
            if (!parts.TryGetValue(name, out byte[]? bytes))
                throw Wrong(path, $"{name} is missing");
            if (bytes.Length != part.GetProperty("bytes").GetInt64()
                || !Convert.ToHexStringLower(SHA256.HashData(bytes)).Equals(
                    part.GetProperty("sha256").GetString(), StringComparison.Ordinal))
            {
                throw Wrong(path, $"{name} was changed: it has another SHA-256 than the manifest says");
            }
        }

        foreach (string name in parts.Keys)
        {
            if (!names.Contains(name))
                throw Wrong(path, $"{name} is not in its manifest");
        }

        foreach (string needed in (string[])[PackageFormat.FiguresName, PackageFormat.SecondsName])
        {
            if (!names.Contains(needed))
                throw Wrong(path, $"{needed} is missing");
        }
    }
}
