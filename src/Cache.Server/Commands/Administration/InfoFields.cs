using System.Text;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Administration;

/// <summary>The fields of INFO by their names, for those who show the same figures in another form.</summary>
internal static class InfoFields
{
    // One for each command or error; those who need them read the counters.
    private static readonly string[] _lists = ["Commandstats", "Errorstats", "Latencystats", "Keyspace"];

    /// <summary>All fields of the sections that are not lists.</summary>
    public static Dictionary<string, string> Read(ServerState server)
    {
        var text = new InfoText();
        foreach (var section in InfoSections.All)
        {
            if (!_lists.Contains(section.Name))
                section.Append(text, server);
        }

        var fields = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (string line in Encoding.UTF8.GetString(text.ToBytes()).Split("\r\n"))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0)
                fields[line[..colon]] = line[(colon + 1)..];
        }

        return fields;
    }
}
