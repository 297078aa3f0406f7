using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>
/// The value of client-output-buffer-limit: for each kind of clients a hard limit, a soft limit and its seconds.
/// </summary>
/// <remarks>
/// The hard limit of normal clients and all limits of clients of channels have an effect here; a single number of bytes
/// sets the first. There 0 means 64 MB, since there is always a limit; for clients of channels it means none but that
/// of the memory of all clients.
/// </remarks>
internal static class OutputLimits
{
    private const int WordsEach = 4;
    private const int PubSubKind = 2;
    private const long MsPerSecond = 1000;

    // A century: a longer time never ends.
    private const long SoftSecondsMax = 3_153_600_000;

    /// <summary>Redis's limits of other clients.</summary>
    public const string Default = "normal 67108864 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60";

    private static readonly string[] _kinds = ["normal", "slave", "pubsub"];

    private static readonly MemoryKind _hard =
        new(SettingBounds.BufferBytesMin, SettingBounds.OutputBytesMax) { ZeroMeans = "64mb" };

    public static ValueKind Kind { get; } = new CheckedKind(
        "bytes",
        _hard.Rule + "; or Redis's form: a kind of clients, a hard limit, a soft limit and its seconds",
        FindProblem)
    {
        Canonical = static text => Merge(Default, text),
        HasWords = true,
        HasNoText = true,
        Bounds = (SettingBounds.BufferBytesMin, SettingBounds.OutputBytesMax),
    };

    /// <summary>The whole value after a change of some kinds of clients.</summary>
    /// <param name="present">The value for all kinds.</param>
    /// <param name="given">The change, in either form, and valid.</param>
    public static string Merge(string present, string given)
    {
        string[] all = present.Split(' ');
        string[] words = given.Length == 0 ? [] : given.Split(' ');
        if (words.Length == 1)
            words = ["normal", words[0], "0", "0"];
        for (int i = 0; i < words.Length; i += WordsEach)
        {
            int at = (KindOf(words[i]) * WordsEach) + 1;
            all[at] = Bytes(words[i + 1]).ToString(CultureInfo.InvariantCulture);
            if (at == 1 && all[at] == "0")
                all[at] = SettingBounds.OutputBytesDefault.ToString(CultureInfo.InvariantCulture);
            all[at + 1] = Bytes(words[i + 2]).ToString(CultureInfo.InvariantCulture);
            all[at + 2] = words[i + 3];
        }

        return string.Join(' ', all);
    }

    /// <summary>Reads the hard limit of normal clients from a whole value.</summary>
    public static long HardLimitOf(string whole) => Bytes(whole.Split(' ')[1]);

    /// <summary>Reads the limits of clients that are subscribed to channels from a whole value.</summary>
    public static OutputLimit PubSubOf(string whole)
    {
        string[] words = whole.Split(' ');
        int at = PubSubKind * WordsEach;
        long seconds = Math.Min(
            long.Parse(words[at + 3], NumberStyles.None, CultureInfo.InvariantCulture), SoftSecondsMax);
        return new OutputLimit(OrNone(Bytes(words[at + 1])), OrNone(Bytes(words[at + 2])), seconds * MsPerSecond);
    }

    /// <summary>Replaces the hard limit of normal clients in a whole value.</summary>
    public static string WithHardLimit(string whole, long bytes)
    {
        string[] all = whole.Split(' ');
        all[1] = bytes.ToString(CultureInfo.InvariantCulture);
        return string.Join(' ', all);
    }

    /// <summary>The kinds of clients in a change whose limits have no effect here.</summary>
    public static IEnumerable<string> FindIgnored(string given)
    {
        string[] words = given.Split(' ');
        for (int i = 0; i + WordsEach <= words.Length; i += WordsEach)
        {
            int kind = KindOf(words[i]);
            if (kind != PubSubKind && (kind != 0 || words[i + 2] != "0" || words[i + 3] != "0"))
                yield return words[i];
        }
    }

    private static string? FindProblem(string given)
    {
        string[] words = given.Length == 0 ? [] : given.Split(' ');
        if (words.Length == 1 && MemorySize.TryParse(words[0], out _))
            return _hard.FindProblem(words[0]);
        if (words.Length % WordsEach != 0)
            return "Wrong number of arguments in buffer limit configuration.";
        for (int i = 0; i < words.Length; i += WordsEach)
        {
            int kind = KindOf(words[i]);
            if (kind < 0)
                return "Invalid client class specified in buffer limit configuration.";
            bool isTaken = MemorySize.TryParse(words[i + 1], out _) && MemorySize.TryParse(words[i + 2], out _)
                && long.TryParse(words[i + 3], NumberStyles.None, CultureInfo.InvariantCulture, out _);
            if (!isTaken)
                return "Error in hard, soft or soft_seconds setting in buffer limit configuration.";
            if (kind == 0 && _hard.FindProblem(words[i + 1]) is { } problem)
                return problem;
        }

        return null;
    }

    // 0 is no limit, as in Redis; the memory of all clients together is bounded in any case.
    private static long OrNone(long bytes) => bytes == 0 ? long.MaxValue : bytes;

    private static int KindOf(string word) => word.Equals("replica", StringComparison.OrdinalIgnoreCase)
        ? 1
        : Array.FindIndex(_kinds, kind => kind.Equals(word, StringComparison.OrdinalIgnoreCase));

    private static long Bytes(string word) => MemorySize.TryParse(word, out long bytes) ? bytes : 0;
}
