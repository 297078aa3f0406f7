using System.Globalization;
using System.Net;
using Cache.Tool.Verbs;

namespace Cache.Tool.Client;

/// <summary>Where a server is, and as whom it is asked: the options of all verbs that ask one.</summary>
/// <param name="Host">Its host.</param>
/// <param name="Port">Its port.</param>
/// <param name="SocketPath">Its Unix socket, in place of these; null: none.</param>
/// <param name="UsesTls">Whether it is asked by TLS.</param>
/// <param name="CaFile">The file of the authority that its certificate is of; null: the machine's.</param>
/// <param name="CertificateFile">The client's own certificate; null: none.</param>
/// <param name="KeyFile">Its private key; null: in the same file.</param>
/// <param name="User">The user; null: the default one.</param>
/// <param name="Password">The password; null: none is needed.</param>
internal sealed record ServerAddress(
    string Host,
    int Port,
    string? SocketPath,
    bool UsesTls,
    string? CaFile,
    string? CertificateFile,
    string? KeyFile,
    string? User,
    string? Password)
{
    /// <summary>Whether the password is meant for any server: one that wants none need not take it.</summary>
    public bool IsPasswordOfEnvironment { get; init; }

    /// <summary>The variable of redis-cli: what stands on a command line is shown to all users by ps.</summary>
    public const string PasswordVariable = "REDISCLI_AUTH";

    private const string HostDefault = "127.0.0.1";
    private const int PortDefault = 6379;

    /// <summary>The lines of help for the options.</summary>
    public static IReadOnlyList<string> Help { get; } =
    [
        "-h, --host HOST    the server, 127.0.0.1 if it is not given; -p, --port N    its port, 6379",
        "-s, --socket PATH  its Unix socket, in place of these",
        "--user NAME        the user; -a, --pass PASSWORD    the password: other users of this machine see it in ps,",
        $"                   so that the variable {PasswordVariable} is better",
        "--tls              by TLS; --cacert FILE    the authority of its certificate, in PEM",
        "--cert FILE --key FILE    a certificate of ours and its key, in PEM: servers ask for one unless",
        "                   tls-auth-clients says no",
    ];

    /// <summary>The options, and further ones of a verb.</summary>
    public static Dictionary<string, string?> Options(params ReadOnlySpan<(string Name, string? Value)> others)
    {
        var all = new Dictionary<string, string?>
        {
            ["--host"] = "HOST",
            ["--port"] = "N",
            ["--socket"] = "PATH",
            ["--user"] = "NAME",
            ["--pass"] = "PASSWORD",
            ["--tls"] = null,
            ["--cacert"] = "FILE",
            ["--cert"] = "FILE",
            ["--key"] = "FILE",
        };
        foreach (var (name, value) in others)
            all.Add(name, value);
        return all;
    }

    /// <exception cref="ToolException">Options are wrong, or exclude each other.</exception>
    public static ServerAddress Of(VerbWords words)
    {
        string? socket = words.ValueOf("--socket");
        if (socket is not null && (words.Has("--host") || words.Has("--port") || words.Has("--tls")))
            throw new ToolException("--socket names the server; --host, --port and --tls are for another way to it.");
        foreach (string option in (string[])["--cacert", "--cert", "--key"])
        {
            if (words.Has(option) && !words.Has("--tls"))
                throw new ToolException($"{option} is for --tls.");
        }

        if (words.Has("--key") && !words.Has("--cert"))
            throw new ToolException("--key is of a certificate: --cert FILE is needed.");
        string? password = words.ValueOf("--pass") ?? PasswordOfEnvironment();
        if (words.Has("--user") && password is null)
            throw new ToolException($"--user needs a password: --pass, or the variable {PasswordVariable}.");
        return new ServerAddress(
            words.ValueOf("--host") ?? HostDefault,
            words.NumberOf("--port", PortDefault, 1, IPEndPoint.MaxPort),
            socket,
            words.Has("--tls"),
            words.ValueOf("--cacert"),
            words.ValueOf("--cert"),
            words.ValueOf("--key"),
            words.ValueOf("--user"),
            password)
        {
            IsPasswordOfEnvironment = !words.Has("--pass") && !words.Has("--user"),
        };
    }

    // Set to nothing, it is meant to say nothing.
    private static string? PasswordOfEnvironment() =>
        Environment.GetEnvironmentVariable(PasswordVariable) is { Length: > 0 } password ? password : null;

    public override string ToString() =>
        SocketPath ?? string.Create(CultureInfo.InvariantCulture, $"{Host}:{Port}");
}
