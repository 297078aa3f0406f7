using System.Globalization;

namespace Cache.Client;

/// <summary>The form in one line, as StackExchange.Redis has it: servers, and options by name.</summary>
public sealed partial class RespClientOptions
{
    private static readonly string[] _names =
    [
        "ssl", "user", "password", "serviceName", "sentinelPassword", "defaultDatabase", "name", "connectTimeout",
        "replyTimeout",
    ];

    /// <summary>Reads "host:port,host:port,ssl=true,password=…".</summary>
    /// <param name="configuration">
    /// Servers and options between commas: ssl, user, password, serviceName, sentinelPassword, defaultDatabase, name,
    /// and connectTimeout and replyTimeout in milliseconds; in any case.
    /// </param>
    /// <exception cref="FormatException">Names every mistake; for a misspelt option the nearest one.</exception>
    public static RespClientOptions Parse(string configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        var options = new RespClientOptions();
        List<string> problems = [];
        const StringSplitOptions Trimmed = StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries;
        foreach (string part in configuration.Split(',', Trimmed))
        {
            int equals = part.IndexOf('=', StringComparison.Ordinal);
            if (equals < 0)
                options.EndPoints.Add(part);
            else
                options.Apply(part[..equals].TrimEnd(), part[(equals + 1)..].TrimStart(), problems);
        }

        problems.AddRange(options.FindProblems());
        return problems.Count == 0
            ? options
            : throw new FormatException("The configuration of the servers is wrong: " + string.Join(" ", problems));
    }

    private void Apply(string name, string value, List<string> problems)
    {
        switch (name.ToUpperInvariant())
        {
            case "SSL":
                UseTls = Flag(name, value, problems);
                break;
            case "USER":
                User = value;
                break;
            case "PASSWORD":
                Password = value;
                break;
            case "SERVICENAME":
                ServiceName = value;
                break;
            case "SENTINELPASSWORD":
                SentinelPassword = value;
                break;
            case "DEFAULTDATABASE":
                Database = Number(name, value, problems);
                break;
            case "NAME":
                ClientName = value;
                break;
            case "CONNECTTIMEOUT":
                ConnectTimeout = TimeSpan.FromMilliseconds(Number(name, value, problems));
                break;
            case "REPLYTIMEOUT":
                ReplyTimeout = TimeSpan.FromMilliseconds(Number(name, value, problems));
                break;
            default:
                problems.Add($"There is no option {name}; the nearest is {NearestTo(name)}.");
                break;
        }
    }

    private static bool Flag(string name, string value, List<string> problems)
    {
        if (bool.TryParse(value, out bool flag))
            return flag;
        problems.Add($"{name} is \"{value}\"; it must be true or false.");
        return false;
    }

    private static int Number(string name, string value, List<string> problems)
    {
        if (int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out int number))
            return number;
        problems.Add($"{name} is \"{value}\"; it must be a whole number.");
        return name.EndsWith("Timeout", StringComparison.OrdinalIgnoreCase) ? 1000 : 0;
    }

    private static string NearestTo(string name) => _names.MinBy(known => Distance(known, name))!;

    // Letters to add, drop or change, in any case.
    private static int Distance(string known, string given)
    {
        // A name that is longer than this is none that somebody misspelt.
        const int LengthMax = 64;
        given = given[..Math.Min(given.Length, LengthMax)];
        var row = Enumerable.Range(0, given.Length + 1).ToArray();
        for (int i = 0; i < known.Length; i++)
        {
            int diagonal = row[0]++;
            for (int j = 0; j < given.Length; j++)
            {
                bool isSame = char.ToUpperInvariant(known[i]) == char.ToUpperInvariant(given[j]);
                int best = Math.Min(Math.Min(row[j], row[j + 1]) + 1, diagonal + (isSame ? 0 : 1));
                diagonal = row[j + 1];
                row[j + 1] = best;
            }
        }

        return row[^1];
    }
}
