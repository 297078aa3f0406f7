using Cache.Tool.Standalone;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>Runs the stand-alone server, which reads its words itself.</summary>
internal static class ServerVerb
{
    public static Verb Verb { get; } = new(
        "server",
        ["redis.conf"],
        "Runs the server: cache server [redis.conf] [--directive value ...]; cache server --help lists all.",
        [],
        new Dictionary<string, string?>(),
        static (_, _, _) => throw new InvalidOperationException("It reads its words itself."))
    {
        FreeOperands = 1,
        RunWhole = static words => (ExitCode)ServerProgram.RunAsync(words, "cache server").GetAwaiter().GetResult(),
    };
}
