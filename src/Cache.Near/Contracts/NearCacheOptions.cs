using System.Text;
using Cache.Client;

namespace Cache.Near;

/// <summary>The options of a near cache; read once, when it is made.</summary>
public sealed class NearCacheOptions
{
    // Less than the store's smallest; prefixes are compared with each key.
    private const int PrefixCountMax = 64;

    private static readonly TimeSpan _boundMin = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan _boundMax = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan _ageMax = TimeSpan.FromDays(1);

    /// <summary>Where the servers are, and how connections to them are made.</summary>
    public RespClientOptions Servers { get; set; } = new();

    /// <summary>
    /// The prefixes of the keys that are kept here, none the beginning of another; at most 64. Reads of other keys go
    /// to the server each time. Required, unless <see cref="AllKeys"/> or <see cref="InstanceName"/> is set.
    /// </summary>
    public IList<string> KeyPrefixes { get; } = [];

    /// <summary>Whether all keys are kept here, in place of prefixes. Each write of anyone is then sent here.</summary>
    public bool AllKeys { get; set; }

    /// <summary>
    /// What is put before each key, as the option of the framework's cache over Redis; null: nothing.
    /// </summary>
    public string? InstanceName { get; set; }

    /// <summary>The memory of the local entries in bytes, 1 MB and more. Default: 64 MB.</summary>
    public long MemoryLimitBytes { get; set; } = 64 << 20;

    /// <summary>The longest life of a local entry: 10 ms to a day. Default: one minute.</summary>
    public TimeSpan MaximumAge { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// By how much a local entry may be older than its server: 300 ms to one minute. Default: 3 seconds. A third of it
    /// is the interval of the heartbeats.
    /// </summary>
    public TimeSpan StalenessBound { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>How the server learns what it is to tell of. Default: <see cref="NearTracking.Broadcast"/>.</summary>
    public NearTracking Tracking { get; set; }

    /// <summary>What keeps local entries true. Default: <see cref="NearCoherence.Tracking"/>.</summary>
    public NearCoherence Coherence { get; set; }

    /// <summary>How entries are stored on the server. Default: <see cref="NearLayout.Microsoft"/>.</summary>
    public NearLayout Layout { get; set; }

    /// <summary>What reads get while the server cannot be asked. Default: <see cref="WhenUnreachable.Miss"/>.</summary>
    public WhenUnreachable WhenUnreachable { get; set; }

    /// <summary>Whether it is kept that the server has no such key. Default: yes.</summary>
    public bool KeepsMisses { get; set; } = true;

    /// <summary>Tells every mistake in the options; none if they can be used.</summary>
    public IReadOnlyList<string> FindProblems()
    {
        List<string> problems = [.. Servers.FindProblems().Select(problem => $"Servers: {problem}")];
        FindPrefixProblems(problems);
        Demand(
            problems,
            MemoryLimitBytes >= 1 << 20,
            $"MemoryLimitBytes is {MemoryLimitBytes}; it must be 1048576 or more.");
        FindTimeProblems(problems, MaximumAge, StalenessBound, Coherence);
        Demand(problems, Enum.IsDefined(Tracking), $"Tracking is {Tracking}; it must be Broadcast or PerKey.");
        Demand(problems, Enum.IsDefined(Layout), $"Layout is {Layout}; it must be Microsoft or Plain.");
        Demand(
            problems,
            WhenUnreachable.StaleFor >= TimeSpan.Zero && WhenUnreachable.StaleFor <= _ageMax,
            $"WhenUnreachable is {WhenUnreachable}; its time must be 0 to {_ageMax}.");
        return problems;
    }

    /// <summary>The mistakes in what keeps entries true, and for how long.</summary>
    internal static void FindTimeProblems(
        List<string> problems, TimeSpan maximumAge, TimeSpan stalenessBound, NearCoherence coherence)
    {
        Demand(
            problems,
            maximumAge >= TimeSpan.FromMilliseconds(10) && maximumAge <= _ageMax,
            $"MaximumAge is {maximumAge}; it must be 10 ms to {_ageMax}.");
        Demand(
            problems,
            stalenessBound >= _boundMin && stalenessBound <= _boundMax,
            $"StalenessBound is {stalenessBound}; it must be 300 ms to {_boundMax}.");
        Demand(problems, Enum.IsDefined(coherence), $"Coherence is {coherence}; it must be Tracking or TimeOnly.");
    }

    /// <summary>The prefixes in bytes; one that is empty: all keys.</summary>
    internal byte[][] PrefixBytes()
    {
        if (AllKeys)
            return [[]];
        return KeyPrefixes.Count > 0
            ? [.. KeyPrefixes.Select(Encoding.UTF8.GetBytes)]
            : [Encoding.UTF8.GetBytes(InstanceName ?? "")];
    }

    private void FindPrefixProblems(List<string> problems)
    {
        Demand(
            problems,
            !AllKeys || KeyPrefixes.Count == 0,
            "KeyPrefixes and AllKeys exclude each other: clear KeyPrefixes, or leave AllKeys false.");
        Demand(
            problems,
            AllKeys || KeyPrefixes.Count > 0 || InstanceName is { Length: > 0 },
            "KeyPrefixes is empty: name the prefixes of the keys to keep here, or set AllKeys.");
        Demand(
            problems,
            KeyPrefixes.Count <= PrefixCountMax,
            $"KeyPrefixes has {KeyPrefixes.Count} prefixes; it must have at most {PrefixCountMax}.");
        Demand(problems, !KeyPrefixes.Contains(""), "KeyPrefixes has an empty prefix: set AllKeys for all keys.");
        var prefixes = KeyPrefixes.Take(PrefixCountMax).Where(prefix => prefix.Length > 0).ToArray();
        for (int i = 0; i < prefixes.Length; i++)
        {
            for (int j = 0; j < prefixes.Length; j++)
            {
                bool isOther = i < j || i > j && prefixes[i] != prefixes[j];
                if (isOther && prefixes[j].StartsWith(prefixes[i], StringComparison.Ordinal))
                {
                    problems.Add(
                        $"KeyPrefixes has \"{prefixes[i]}\" and \"{prefixes[j]}\"; one must not begin with the other.");
                }
            }
        }
    }

    private static void Demand(List<string> problems, bool isGood, string problem)
    {
        if (!isGood)
            problems.Add(problem);
    }
}
