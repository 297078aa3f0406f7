using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Doctor;
using Cache.Server.Settings;
using Cache.Server.Statistics;

namespace Cache.Server.Package;

/// <summary>Names of a package for what clients have chosen, which may be secret: hashes and numbers.</summary>
/// <remarks>
/// The secret of the hashes is not kept: nobody can try whether a package has a certain key. Numbers are given in the
/// order in which things are named first.
/// </remarks>
internal sealed class PackageNames(KeyExposure exposure, byte separator = (byte)':') : FigureNames
{
    // 64 bits: two of some thousand keys will not have the same.
    private const int HashBytes = 8;
    private const int PrefixParts = 2;
    private const string DefaultUser = "default";

    /// <summary>What stands for a text that was left out.</summary>
    public const string Hidden = "(set, not shown)";

    /// <summary>What stands for a command that the server does not have.</summary>
    public const string UnknownCommand = "(unknown)";

    // Texts of the system, in the order of their likelihood. What else a message says may be a path.
    private static readonly string[] _problems =
    [
        "No space left on device", "Disk quota exceeded", "Read-only file system", "Permission denied",
        "Input/output error", "Too many open files", "File too large", "No such file or directory", "Stale file handle",
    ];

    // Clients of the field, whose names tell nothing of their users.
    private static readonly HashSet<string> _libraries = new(StringComparer.OrdinalIgnoreCase)
    {
        "redis-py", "redis-cli", "jedis", "lettuce", "redisson", "node-redis", "ioredis", "go-redis", "rueidis",
        "SE.Redis", "StackExchange.Redis", "NRedisStack", "hiredis", "hiredis-py", "predis", "phpredis", "redis-rs",
        "redis-rb", "valkey-glide", "valkey-py", "iovalkey",
    };

    private static readonly HashSet<string> _anyAddress =
        new(StringComparer.Ordinal) { "*", "::*", "-::*", "0.0.0.0", "::", "127.0.0.1", "::1", "-::1", "localhost" };

    private readonly byte[] _secret = RandomNumberGenerator.GetBytes(HMACSHA256.HashSizeInBytes);
    private readonly Dictionary<string, string> _numbers = new(StringComparer.Ordinal);
    private readonly Dictionary<string, int> _counts = new(StringComparer.Ordinal);

    public override string OfKey(ReadOnlySpan<byte> key) => exposure switch
    {
        KeyExposure.Plain => SettingQuote.Of(Encoding.Latin1.GetString(key)),
        KeyExposure.Prefix => PrefixOf(key) is { Length: > 0 } prefix
            ? $"{SettingQuote.Of(Encoding.Latin1.GetString(prefix))}{HashOf(key)}"
            : HashOf(key),
        _ => HashOf(key),
    };

    /// <summary>A prefix of CACHE PREFIXES.</summary>
    public string OfPrefix(ReadOnlySpan<byte> prefix) => exposure == KeyExposure.Hash && prefix.Length > 0
        ? HashOf(prefix)
        : SettingQuote.Of(Encoding.Latin1.GetString(prefix));

    public override string OfClient(ReadOnlySpan<byte> name) =>
        NumberOf("name", Encoding.Latin1.GetString(name));

    /// <summary>The host by a number; a port tells nothing.</summary>
    public override string OfAddress(string address)
    {
        int colon = address.LastIndexOf(':');
        return NumberOf("host", colon < 0 ? address : address[..colon]);
    }

    public override string OfCommand(ServerState server, SlowRequest request) =>
        FindCommand(server, request.Arguments)?.Name ?? UnknownCommand;

    public override string OfProblem(Exception problem)
    {
        string known = Array.Find(
            _problems, text => problem.Message.Contains(text, StringComparison.OrdinalIgnoreCase)) ?? "another reason";
        return string.Create(CultureInfo.InvariantCulture, $"{known}, {problem.GetType().Name}");
    }

    public string OfUser(string name) => name == DefaultUser ? name : NumberOf("user", name);

    /// <summary>A client's library, if it is one of the field's.</summary>
    public string OfLibrary(ReadOnlySpan<byte> name)
    {
        string text = Encoding.Latin1.GetString(name);
        return _libraries.TryGetValue(text, out string? known) ? known : NumberOf("library", text);
    }

    /// <summary>An address to listen on: one that every machine has, or a number.</summary>
    public string OfListenAddress(string address) =>
        _anyAddress.Contains(address) ? address : OfAddress(address + ":");

    /// <summary>The command of an excerpt, whatever name it was given; null: there is none of that name.</summary>
    public static CommandDefinition? FindCommand(ServerState server, byte[][] arguments)
    {
        if (arguments.Length == 0)
            return null;
        var command = server.Commands.Find(arguments[0]) ?? CommandTable.Default.Find(arguments[0]);
        return arguments.Length > 1 && command?.Subcommands?.Find(arguments[1]) is { } subcommand
            ? subcommand
            : command;
    }

    private string HashOf(ReadOnlySpan<byte> key)
    {
        Span<byte> hash = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(_secret, key, hash);
        return "#" + Convert.ToHexStringLower(hash[..HashBytes]);
    }

    private ReadOnlySpan<byte> PrefixOf(ReadOnlySpan<byte> key)
    {
        int end = 0;
        for (int part = 0; part < PrefixParts && key[end..].IndexOf(separator) is >= 0 and var next; part++)
            end += next + 1;
        return key[..end];
    }

    private string NumberOf(string kind, string text)
    {
        if (text.Length == 0)
            return "";
        string entry = $"{kind} {text}";
        if (_numbers.TryGetValue(entry, out string? number))
            return number;
        int next = _counts[kind] = _counts.GetValueOrDefault(kind) + 1;
        return _numbers[entry] = string.Create(CultureInfo.InvariantCulture, $"{kind}-{next}");
    }
}
