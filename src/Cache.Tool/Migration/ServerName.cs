using System.Globalization;
using System.Net;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>A server as an option names it: host:port, the path of a socket, or redis://….</summary>
/// <param name="Address">Where it is.</param>
/// <param name="Database">The database that was named; null: none.</param>
internal sealed record ServerName(ServerAddress Address, int? Database)
{
    /// <summary>The password of a source that is named without one: ps shows command lines.</summary>
    public const string SourcePasswordVariable = "CACHE_SOURCE_AUTH";

    private const int PortDefault = 6379;

    /// <summary>The options for the server that an option names; those of certificates are for both.</summary>
    public static IReadOnlyDictionary<string, string?> Options { get; } = new Dictionary<string, string?>
    {
        ["--user"] = "NAME",
        ["--pass"] = "PASSWORD",
        ["--tls"] = null,
        ["--cacert"] = "FILE",
        ["--cert"] = "FILE",
        ["--key"] = "FILE",
    };

    /// <summary>Reads an option.</summary>
    /// <param name="words">The words of the verb.</param>
    /// <param name="option">The option.</param>
    /// <param name="hasOptions">Whether --user, --pass and --tls are its.</param>
    public static ServerName Of(VerbWords words, string option, bool hasOptions)
    {
        string text = words.ValueOf(option)!;
        if (words.Has("--key") && !words.Has("--cert"))
            throw new ToolException("--key is of a certificate: --cert FILE is needed.");
        var found = text.Contains("://", StringComparison.Ordinal) ? OfUri(option, text) : OfPlace(option, text);
        var address = found.Address;
        string? user = (hasOptions ? words.ValueOf("--user") : null) ?? address.User;
        string? given = (hasOptions ? words.ValueOf("--pass") : null) ?? address.Password;
        string? password = given ?? PasswordOf(hasOptions);
        if (user is not null && password is null)
            throw new ToolException($"{option}: the user {user} needs a password.");
        bool usesTls = address.UsesTls || (hasOptions && words.Has("--tls"));
        return found with
        {
            Address = address with
            {
                UsesTls = usesTls,
                CaFile = usesTls ? words.ValueOf("--cacert") : null,
                CertificateFile = usesTls ? words.ValueOf("--cert") : null,
                KeyFile = usesTls ? words.ValueOf("--key") : null,
                User = user,
                Password = password,
                IsPasswordOfEnvironment = given is null && user is null,
            },
        };
    }

    /// <summary>Checks that options of TLS have a server that is asked by it.</summary>
    public static void CheckTls(VerbWords words, params ReadOnlySpan<ServerName?> servers)
    {
        bool usesTls = false;
        foreach (var one in servers)
            usesTls |= one?.Address.UsesTls ?? false;
        foreach (string option in (string[])["--cacert", "--cert", "--key"])
        {
            if (words.Has(option) && !usesTls)
                throw new ToolException($"{option} is for --tls, or a server that rediss:// names.");
        }
    }

    public override string ToString() => Address.ToString();

    private static string? PasswordOf(bool hasOptions)
    {
        string name = hasOptions ? ServerAddress.PasswordVariable : SourcePasswordVariable;
        return Environment.GetEnvironmentVariable(name) is { Length: > 0 } password ? password : null;
    }

    private static ServerName OfPlace(string option, string text)
    {
        if (text.StartsWith('/'))
            return Make("", PortDefault, isTls: false) is var name
                ? name with { Address = name.Address with { SocketPath = text } }
                : name;
        int colon = text.LastIndexOf(':');
        if (colon <= 0 || !TryPort(text[(colon + 1)..], out int port))
            throw Wrong(option);
        string host = text[..colon].Trim('[', ']');
        return host.Length == 0 || host.Contains('@', StringComparison.Ordinal)
            ? throw Wrong(option)
            : Make(host, port, isTls: false);
    }

    private static ServerName OfUri(string option, string text)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Scheme is not ("redis" or "rediss")
            || uri.Host.Length == 0 || uri.Query.Length > 0 || uri.Fragment.Length > 0)
        {
            throw Wrong(option);
        }

        var name = Make(uri.IdnHost.Trim('[', ']'), uri.Port < 0 ? PortDefault : uri.Port, uri.Scheme == "rediss");
        if (uri.AbsolutePath is { Length: > 1 } path)
        {
            name = int.TryParse(path[1..], NumberStyles.None, CultureInfo.InvariantCulture, out int database)
                ? name with { Database = database }
                : throw Wrong(option);
        }

        if (uri.UserInfo.Length == 0)
            return name;
        int colon = uri.UserInfo.IndexOf(':', StringComparison.Ordinal);
        string user = Uri.UnescapeDataString(colon < 0 ? uri.UserInfo : uri.UserInfo[..colon]);
        string? password = colon < 0 ? null : Uri.UnescapeDataString(uri.UserInfo[(colon + 1)..]);
        return name with
        {
            Address = name.Address with { User = user.Length == 0 ? null : user, Password = password },
        };
    }

    private static ServerName Make(string host, int port, bool isTls) => new(
        new ServerAddress(host, port, null, isTls, null, null, null, null, null), Database: null);

    private static bool TryPort(string text, out int port) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out port)
        && port is >= 1 and <= IPEndPoint.MaxPort;

    // Without the text, which may have a password.
    private static ToolException Wrong(string option) => new(
        $"{option}: HOST:PORT, the path of a socket, or redis://[USER:PASSWORD@]HOST[:PORT][/DB] is needed.");
}
