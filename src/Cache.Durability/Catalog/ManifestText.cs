using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using Cache.Durability.Format;

namespace Cache.Durability.Catalog;

/// <summary>A manifest as readable text, with a checksum in its last line.</summary>
/// <remarks>
/// <code>
///     cache-durability 1
///     store 0f1e2d3c4b5a6978
///     state open
///     base base-000007.snap
///     from 4711
///     lsn 79000000064
///     journal jrnl-000012.cj
///     journal jrnl-000013.cj
///     end 4913
///     crc 89abcdef
/// </code>
/// </remarks>
internal static class ManifestText
{
    private const string Title = "cache-durability";
    private const int Version = 1;
    private const string ChecksumName = "crc";

    /// <summary>The most lines: a journal has 64 MB, so no manifest of this program has more.</summary>
    public const int BytesMax = 1 << 20;

    public static byte[] Format(Manifest manifest)
    {
        var text = new StringBuilder();
        Line(text, $"{Title} {Version}");
        Line(text, $"store {manifest.StoreId:x16}");
        Line(text, $"state {NameOf(manifest.State)}");
        if (manifest.Base != null)
            Line(text, $"base {manifest.Base}");
        Line(text, $"from {manifest.FromSequence}");
        if (manifest.FromLsn != 0)
            Line(text, $"lsn {manifest.FromLsn}");
        foreach (string journal in manifest.Journals)
            Line(text, $"journal {journal}");
        if (manifest.State == ManifestState.Clean)
            Line(text, $"end {manifest.EndSequence}");
        uint checksum = Crc32C.Of(Encoding.UTF8.GetBytes(text.ToString()));
        Line(text, $"{ChecksumName} {checksum:x8}");
        return Encoding.UTF8.GetBytes(text.ToString());
    }

    /// <summary>Reads a manifest, or returns the error.</summary>
    public static bool TryParse(
        ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out Manifest? manifest, out string problem)
    {
        manifest = null;
        problem = "is damaged";
        int last = bytes.LastIndexOf(Encoding.UTF8.GetBytes($"\n{ChecksumName} ")) + 1;
        if (last == 0)
            return false;
        string end = Encoding.UTF8.GetString(bytes[last..]);
        if (end != $"{ChecksumName} {Crc32C.Of(bytes[..last]):x8}\n")
            return false;
        string[] lines = Encoding.UTF8.GetString(bytes[..(last - 1)]).Split('\n');
        if (lines[0] != $"{Title} {Version}")
        {
            problem = $"begins with '{lines[0]}'; this program reads '{Title} {Version}'";
            return false;
        }

        manifest = Parse(lines.AsSpan(1), out string? wrong);
        problem = wrong == null ? "" : $"has the line '{wrong}', which this program does not know";
        return manifest != null;
    }

    private static void Line(StringBuilder text, FormattableString line) =>
        text.Append(line.ToString(CultureInfo.InvariantCulture)).Append('\n');

    private static string NameOf(ManifestState state) => state switch
    {
        ManifestState.Clean => "clean",
        ManifestState.Suspended => "suspended",
        ManifestState.Refused => "refused",
        _ => "open",
    };

    private static Manifest? Parse(ReadOnlySpan<string> lines, out string? wrong)
    {
        List<string> journals = [];
        var manifest = new Manifest { StoreId = 0, Journals = journals };
        foreach (string line in lines)
        {
            wrong = line;
            int space = line.IndexOf(' ');
            if (space < 0)
                return null;
            string value = line[(space + 1)..];
            ulong number;
            switch (line[..space])
            {
                case "store" when ulong.TryParse(value, NumberStyles.HexNumber, null, out number):
                    manifest = manifest with { StoreId = number };
                    break;
                case "state" when StateOf(value) is { } state:
                    manifest = manifest with { State = state };
                    break;
                case "base" when FileNames.IsPlain(value):
                    manifest = manifest with { Base = value };
                    break;
                case "from" when ulong.TryParse(value, CultureInfo.InvariantCulture, out number):
                    manifest = manifest with { FromSequence = number };
                    break;
                case "lsn" when ulong.TryParse(value, CultureInfo.InvariantCulture, out number):
                    manifest = manifest with { FromLsn = number };
                    break;
                case "journal" when FileNames.IsPlain(value):
                    journals.Add(value);
                    break;
                case "end" when ulong.TryParse(value, CultureInfo.InvariantCulture, out number):
                    manifest = manifest with { EndSequence = number };
                    break;
                default:
                    return null;
            }
        }

        wrong = null;
        return manifest;
    }

    private static ManifestState? StateOf(string name) => name switch
    {
        "open" => ManifestState.Open,
        "clean" => ManifestState.Clean,
        "suspended" => ManifestState.Suspended,
        "refused" => ManifestState.Refused,
        _ => null,
    };
}
