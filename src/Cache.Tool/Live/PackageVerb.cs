using System.Globalization;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Live;

/// <summary>Fetches the package of a running server.</summary>
internal static class PackageVerb
{
    private const string KeysOption = "--keys";

    // Keys as hashes are nobody's business either.
    private const UnixFileMode Private = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    public static Verb Verb { get; } = new(
        "package",
        ["FILE"],
        "Writes what a running server knows of itself to a zip, for cache analyze or for somebody far away.",
        [
            "",
            "FILE is new; without it, cache-package- and the moment, here. Only you may read it.",
            "",
            "--keys hash|prefix|plain   what it has of keys: a hash with a secret that is thrown away, as without it;",
            "                           the first two parts, up to a colon each, and the hash; or the keys",
            .. ServerAddress.Help,
            "",
            "It has no value, no argument and no password; hosts, clients' names and users are numbered.",
        ],
        ServerAddress.Options((KeysOption, "HOW")),
        Run)
    { FreeOperands = 1 };

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        string keys = words.ValueOf(KeysOption) ?? "hash";
        if (keys is not ("hash" or "prefix" or "plain"))
            throw new ToolException($"{KeysOption} {keys}: hash, prefix or plain is needed.");
        string path = Path.GetFullPath(words.Operands is [var file] ? file : NameAt(time.GetUtcNow()));
        if (File.Exists(path) || Directory.Exists(path))
            throw new ToolException($"{path} exists already.");
        byte[] package;
        using (var server = ServerConnection.Open(ServerAddress.Of(words)))
            package = server.Call("CACHE", "PACKAGE", "KEYS", keys).Bytes;
        Write(path, package);
        output.Line($"{path}: {package.Length} bytes, keys by {keys}");
        return ExitCode.Whole;
    }

    // All or nothing: a part of it would stand in the way of the next try.
    private static void Write(string path, byte[] package)
    {
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = Private;
        var stream = new FileStream(path, options);
        try
        {
            using (stream)
                stream.Write(package);
        }
        catch (IOException)
        {
            File.Delete(path);
            throw;
        }
    }

    private static string NameAt(DateTimeOffset now) =>
        string.Create(CultureInfo.InvariantCulture, $"cache-package-{now.UtcDateTime:yyyyMMdd-HHmmss}.zip");
}
