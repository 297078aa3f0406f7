using System.Text;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Package;

/// <summary>INFO everything, without the paths of this machine.</summary>
internal static class PackageInfo
{
    private static readonly HashSet<string> _paths = new(StringComparer.Ordinal) { "executable", "config_file" };

    public static byte[] Of(ServerState server)
    {
        var text = new InfoText();
        foreach (var section in InfoSections.All)
        {
            text.BeginSection(section.Name);
            section.Append(text, server);
        }

        var shown = new StringBuilder();
        foreach (string line in Encoding.UTF8.GetString(text.ToBytes()).Split("\r\n"))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            bool isPath = colon > 0 && colon + 1 < line.Length && _paths.Contains(line[..colon]);
            shown.Append(isPath ? line[..(colon + 1)] + PackageNames.Hidden : line).Append('\n');
        }

        return Encoding.UTF8.GetBytes(shown.ToString());
    }
}
