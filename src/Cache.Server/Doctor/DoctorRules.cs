using System.Globalization;
using System.Text;

namespace Cache.Server.Doctor;

/// <summary>The rules of the doctor, the most urgent first.</summary>
/// <remarks>
/// Each is a condition over figures, so that it can be asked of a running server and of a package of figures alike.
/// What stops all threads comes before the calls that are slow because of it. docs/operations.md lists the rules; a
/// test compares.
/// </remarks>
internal static class DoctorRules
{
    private const double Percent = 100;
    private const double BytesPerMegabyte = 1 << 20;

    // What a client may leave unread for a while: a few full buffers of the system.
    private const long UnreadBytesMin = 1 << 20;

    // Below this, one key's share says nothing.
    private const double BusyPerSecond = 100;
    private const double HotKeyShareMin = 0.25;
    private const double HeavyKeyShareMin = 0.5;
    private const long HeavyKeyLengthMin = 100 << 10;

    // A hundredth of the time.
    private const double PauseMsMin = 10;
    private const double ProcessorShareMin = 0.9;
    private const double QueuedMin = 100;

    // Two points of all reads.
    private const double GainMin = 0.02;

    // A minute's evictions against the keys that are there: the store turns over in ten minutes.
    private const double TurnoverMin = 0.1;
    private const double SecondsPerMinute = 60;

    private const double ClientsShareMin = 0.8;
    private const int IdleClientsMin = 50;
    private const double IdleShareMin = 0.5;
    private const double LogInsPerSecondMin = 10 / SecondsPerMinute;
    private const double ResidentShareMin = 0.9;
    private const double SlowMsMin = 100;
    private const double ClockStepMin = 1;

    /// <summary>The names of the rules and what they ask, in their order.</summary>
    public static IReadOnlyList<(string Name, Func<DoctorFigures, Finding?> Ask)> All { get; } =
    [
        ("files", Files), ("refused-writes", RefusedWrites), ("rejected-clients", RejectedClients),
        ("memory", Memory), ("slow-reader", SlowReader), ("gc", Collector), ("slow-command", SlowCommand),
        ("heavy-key", HeavyKey), ("hot-key", HotKey), ("thread-pool", ThreadPool), ("processor", Processor),
        ("eviction-storm", EvictionStorm), ("limit", Limit), ("idle-clients", IdleClients), ("clients", Clients),
        ("log-ins", LogIns), ("clock", Clock), ("loading", Loading),
    ];

    /// <summary>All findings, the worst first.</summary>
    public static List<Finding> Find(DoctorFigures figures)
    {
        var found = new List<Finding>();
        foreach (var (_, ask) in All)
        {
            if (ask(figures) is { } finding)
                found.Add(finding);
        }

        // Of equal severity in the order of the rules.
        var sorted = new List<Finding>();
        for (var severity = Severity.Critical; severity >= Severity.Note; severity--)
            sorted.AddRange(found.FindAll(finding => finding.Severity == severity));
        return sorted;
    }

    private static Finding? Files(DoctorFigures figures) => figures.FilesProblem is not { } problem ? null : Critical(
        "files", Say($"Changes are not kept: the files cannot be written ({problem})."),
        "Make room or mend the disk; the server tries again by itself every ten seconds. Until then a restart loses "
        + "what is new.");

    private static Finding? RefusedWrites(DoctorFigures figures) =>
        figures.RefusedWritesPerSecond <= 0 ? null : Critical(
            "refused-writes",
            Say($"{figures.RefusedWritesPerSecond:F1} writes a second are refused for want of memory."),
            "Raise maxmemory, or let a policy evict: CONFIG SET maxmemory-policy allkeys-lru.");

    private static Finding? RejectedClients(DoctorFigures figures) =>
        figures.RejectedConnectionsPerSecond <= 0 ? null : Critical(
            "rejected-clients",
            Say($"{figures.RejectedConnectionsPerSecond:F1} connections a second are refused; {figures.Clients} of ",
                $"at most {figures.ClientsMax} clients are connected, ",
                $"{figures.IdleClients} of them idle for ten minutes."),
            "Look for clients that open connections and never close them (CLIENT LIST IDLE 600); set timeout, or raise "
            + "maxclients.");

    private static Finding? Memory(DoctorFigures figures) =>
        figures.AvailableBytes <= 0 || figures.ResidentBytes < ResidentShareMin * figures.AvailableBytes ? null
        : Critical(
            "memory",
            Say($"The process has {Megabytes(figures.ResidentBytes)} of the {Megabytes(figures.AvailableBytes)} that ",
                $"it may use: the system may end it."),
            "Lower maxmemory, or give the process more; CACHE MEMORY tells what has it.");

    private static Finding? SlowReader(DoctorFigures figures) => figures.UnreadBytes < UnreadBytesMin ? null : Warning(
        "slow-reader",
        figures.ReadsMessages
            ? Say($"{figures.SlowestReader} does not read its messages: {Megabytes(figures.UnreadBytes)} wait for it.")
            : Say($"{figures.SlowestReader} does not read its replies: {Megabytes(figures.UnreadBytes)} wait for it."),
        figures.ReadsMessages
            ? "Read on another thread than the one that works, or subscribe to less; client-output-buffer-limit pubsub "
            + "ends such a client."
            : "Ask for less at a time, or read while you write; client-output-buffer-limit and client-output-timeout "
            + "end such a client.");

    private static Finding? SlowCommand(DoctorFigures figures) =>
        figures.SlowCalls == 0 || figures.SlowMilliseconds < SlowMsMin ? null : Warning(
            "slow-command",
            Say($"{figures.SlowCommand.ToUpperInvariant()} took {figures.SlowMilliseconds:F0} ms in ",
                $"{figures.SlowCalls} slow calls of the last ten minutes, the longest ",
                $"{figures.SlowestMilliseconds:F0} ms, by {figures.SlowClient}."),
            AdviceFor(figures.SlowCommand));

    private static Finding? HeavyKey(DoctorFigures figures) =>
        figures.HeaviestKeyLength < HeavyKeyLengthMin || figures.HeaviestKeyShare < HeavyKeyShareMin ? null : Warning(
            "heavy-key",
            Say($"The key {figures.HeaviestKey} makes {Percent * figures.HeaviestKeyShare:F0} % of the traffic: ",
                $"it has {Megabytes(figures.HeaviestKeyLength)}."),
            "Divide the value, compress it, or keep it in the process that reads it so often.");

    private static Finding? HotKey(DoctorFigures figures) =>
        figures.CommandsPerSecond < BusyPerSecond || figures.HotKeyShare < HotKeyShareMin ? null : Warning(
            "hot-key",
            Say($"The key {figures.HotKey} has {Percent * figures.HotKeyShare:F0} % of ",
                $"{figures.CommandsPerSecond:F0} requests a second."),
            "Keep it for some seconds in the process that asks; HOTKEYS GET lists the others.");

    private static Finding? Collector(DoctorFigures figures) => figures.PauseMsPerSecond < PauseMsMin ? null : Warning(
        "gc",
        Say($"The garbage collector stops all threads for {figures.PauseMsPerSecond:F0} ms of each second, with ",
            $"{figures.FullCollectionsPerSecond:F1} full collections and a heap of {Megabytes(figures.HeapBytes)}."),
        "The store is outside of that heap: look at what the host allocates (dotnet-counters, CACHE MEMORY), or run "
        + "the server in a process of its own.");

    private static Finding? ThreadPool(DoctorFigures figures) => figures.QueuedWorkItems < QueuedMin ? null : Warning(
        "thread-pool", Say($"{figures.QueuedWorkItems:F0} work items wait for a thread of the pool."),
        "The host blocks threads of the pool; make its calls asynchronous.");

    private static Finding? Processor(DoctorFigures figures) =>
        figures.Processors == 0 || figures.ProcessorPercent < ProcessorShareMin * Percent * figures.Processors
            ? null
            : Warning(
                "processor",
                Say($"The process uses {figures.ProcessorPercent:F0} % of {figures.Processors} processors for ",
                    $"{figures.CommandsPerSecond:F0} requests a second."),
                "Use pipelines or MGET, and look at INFO commandstats for what takes the time.");

    private static Finding? EvictionStorm(DoctorFigures figures) =>
        figures.Keys == 0 || figures.EvictionsPerSecond * SecondsPerMinute < TurnoverMin * figures.Keys ? null
        : Warning(
            "eviction-storm",
            Say($"{figures.EvictionsPerSecond:F0} keys a second are evicted of {figures.Keys}, beside ",
                $"{figures.WritesPerSecond:F0} writes."),
            "New keys push out others before they are used: look for a job that writes much once (CACHE TOPKEYS BY "
            + "WRITES), or raise maxmemory.");

    private static Finding? Limit(DoctorFigures figures) =>
        figures.EvictionsPerSecond <= 0 || figures.HitRatio is not { } ratio
        || figures.DoubledHitRatio - ratio < GainMin ? null : Warning(
            "limit",
            Say($"The limit of {Megabytes(figures.LimitBytes)} is met; twice as much would answer ",
                $"{Percent * (figures.DoubledHitRatio - ratio):F1} % more of the reads ({Percent * ratio:F1} % now)."),
            "Raise maxmemory; CACHE CURVE tells what other limits would answer.");

    private static Finding? IdleClients(DoctorFigures figures) =>
        figures.IdleClients < IdleClientsMin || figures.IdleClients < IdleShareMin * figures.Clients ? null : Warning(
            "idle-clients",
            Say($"{figures.IdleClients} of {figures.Clients} clients have sent nothing for ten minutes."),
            "Not counting those that wait or are subscribed. Probably connections that nobody closes: CLIENT LIST IDLE "
            + "600 names their addresses; timeout ends them.");

    private static Finding? Clients(DoctorFigures figures) =>
        figures.ClientsMax == 0 || figures.Clients < ClientsShareMin * figures.ClientsMax ? null : Warning(
            "clients", Say($"{figures.Clients} of at most {figures.ClientsMax} clients are connected."),
            "Raise maxclients before the next ones are refused.");

    private static Finding? LogIns(DoctorFigures figures) => figures.RefusedLogInsPerSecond < LogInsPerSecondMin ? null
        : Warning(
            "log-ins", Say($"{figures.RefusedLogInsPerSecond * SecondsPerMinute:F0} log-ins a minute are refused."),
            "ACL LOG names the addresses: a client with an old password, or somebody who guesses.");

    private static Finding? Clock(DoctorFigures figures) => Math.Abs(figures.ClockStepSeconds) < ClockStepMin ? null
        : Warning(
            "clock",
            Say($"The clock was set {DirectionOf(figures.ClockStepSeconds)} by ",
                $"{Math.Abs(figures.ClockStepSeconds):F0} s."),
            "Times to live go on as they were; moments (EXPIREAT) follow the new clock. Let a time server slew it.");

    private static Finding? Loading(DoctorFigures figures) => !figures.IsLoading ? null : new Finding(
        "loading", Severity.Note, "Files are being loaded: most commands wait or are refused.",
        "INFO persistence tells how far it is.");

    private static string AdviceFor(string command) => command switch
    {
        "keys" => "Use SCAN, which gives way to others, or a set of the names.",
        "flushall" or "flushdb" => "Use ASYNC.",
        "mget" or "mset" or "del" => "Name fewer keys at a time.",
        _ => "SLOWLOG GET shows the calls with their arguments.",
    };

    private static string Megabytes(double bytes) =>
        string.Create(CultureInfo.InvariantCulture, $"{bytes / BytesPerMegabyte:F1} MB");

    private static string DirectionOf(double seconds) => seconds < 0 ? "back" : "forward";

    private static string Say(params FormattableString[] parts)
    {
        var text = new StringBuilder();
        foreach (var part in parts)
            text.Append(FormattableString.Invariant(part));
        return text.ToString();
    }

    private static Finding Critical(string rule, string sentence, string advice) =>
        new(rule, Severity.Critical, sentence, advice);

    private static Finding Warning(string rule, string sentence, string advice) =>
        new(rule, Severity.Warning, sentence, advice);
}
