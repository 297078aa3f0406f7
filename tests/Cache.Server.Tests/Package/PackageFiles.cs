using System.IO.Compression;
using System.Text;

namespace Cache.Server.Tests.Package;

/// <summary>The files of a package, as text of one char a byte.</summary>
internal static class PackageFiles
{
    public static Dictionary<string, string> Of(byte[] package)
    {
        var files = new Dictionary<string, string>();
        using var zip = new ZipArchive(new MemoryStream(package));
        foreach (var entry in zip.Entries)
        {
            using var content = entry.Open();
            using var bytes = new MemoryStream();
            content.CopyTo(bytes);
            files.Add(entry.FullName, Encoding.Latin1.GetString(bytes.ToArray()));
        }

        return files;
    }
}
