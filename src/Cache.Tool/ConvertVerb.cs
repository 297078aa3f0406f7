using Cache.Core;
using Cache.Tool.Verbs;

namespace Cache.Tool;

/// <summary>Makes the directory of a store from Redis's dump.rdb, and a dump.rdb from such a directory.</summary>
internal static class ConvertVerb
{
    private const string LimitOption = "--maxmemory";

    public static Verb Verb { get; } = new(
        "convert",
        ["FROM", "TO"],
        "Makes the directory of a store from a dump.rdb, or a dump.rdb from the directory of a store.",
        [
            "",
            "cache convert dump.rdb DIR      DIR is new or empty; the server starts from it",
            "cache convert DIR dump.rdb      for redis-server 7.0 or later; dump.rdb is new or empty",
            "",
            "--maxmemory SIZE   for a directory: the most memory for its entries, such as 4gb; half of what is",
            "                   available if it is not given",
            "",
            "All types of Redis are converted; what else a dump has is counted, and so are entries that have expired.",
            "Exit codes: 0 done, 1 FROM is damaged or incomplete, 2 something cannot be read or written.",
        ],
        new Dictionary<string, string?> { [LimitOption] = "SIZE" },
        Run);

    private static ExitCode Run(VerbWords words, Report output, TimeProvider time)
    {
        string from = words.Operands[0];
        string to = words.Operands[1];
        if (Directory.Exists(from))
        {
            new DumpWriting(output, time, LimitOf(words)).Run(from, to);
            return ExitCode.Whole;
        }

        if (!File.Exists(from))
            throw new ToolException($"{from} does not exist.");
        if (words.Has(LimitOption))
            throw new ToolException($"{LimitOption} is for a directory; {from} is a file, which needs no memory.");
        new DumpReading(output, time).Run(from, to);
        return ExitCode.Whole;
    }

    private static long LimitOf(VerbWords words)
    {
        long available = CacheOptions.AvailableMemoryBytes;
        if (words.ValueOf(LimitOption) is not { } text)
            return Math.Max(CacheOptions.MemoryLimitMin, available / 2);
        if (ByteSize.TryParse(text, out long bytes) && bytes >= CacheOptions.MemoryLimitMin && bytes <= available)
            return bytes;
        throw new ToolException(
            $"{LimitOption} {text}: a size from {CacheOptions.MemoryLimitMin >> 20}mb to {available >> 20}mb is "
            + "needed.");
    }
}
