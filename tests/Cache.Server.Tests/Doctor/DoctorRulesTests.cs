using System.Globalization;
using Cache.Server.Doctor;

namespace Cache.Server.Tests.Doctor;

public sealed class DoctorRulesTests
{
    private const long Megabyte = 1 << 20;

    private static readonly DoctorFigures _healthy = new()
    {
        CommandsPerSecond = 1000,
        WritesPerSecond = 200,
        TrafficPerSecond = Megabyte,
        ProcessorPercent = 50,
        Processors = 2,
        PauseMsPerSecond = 1,
        Keys = 10_000,
        LimitBytes = 100 * Megabyte,
        ResidentBytes = 200 * Megabyte,
        AvailableBytes = 1000 * Megabyte,
        HitRatio = 0.9,
        DoubledHitRatio = 0.95,
        Clients = 40,
        ClientsMax = 10_000,
        HotKey = "popular",
        HotKeyShare = 0.1,
        HeaviestKey = "page",
        HeaviestKeyLength = 1000,
        HeaviestKeyShare = 0.6,
    };

    // What is wrong, the least that is, and the most that is not.
    private static readonly Dictionary<string, Case> _cases = new()
    {
        ["files"] = new(
            static f => f with { FilesProblem = "No space left on device" }, static f => f,
            "(No space left on device)"),
        ["refused-writes"] = new(
            static f => f with { RefusedWritesPerSecond = 0.5 }, static f => f, "0.5 writes a second"),
        ["rejected-clients"] = new(
            static f => f with { RejectedConnectionsPerSecond = 2 }, static f => f, "40 of at most 10000 clients"),
        ["memory"] = new(
            static f => f with { ResidentBytes = 900 * Megabyte },
            static f => f with { ResidentBytes = 899 * Megabyte },
            "900.0 MB of the 1000.0 MB"),
        ["slow-reader"] = new(
            static f => f with { SlowestReader = "The client 7 at 10.0.0.1:99", UnreadBytes = Megabyte },
            static f => f with { UnreadBytes = Megabyte - 1 },
            "The client 7 at 10.0.0.1:99 does not read its replies: 1.0 MB"),
        ["slow-command"] = new(
            static f => f with
            {
                SlowCommand = "keys",
                SlowCalls = 3,
                SlowMilliseconds = 100,
                SlowestMilliseconds = 60,
                SlowClient = "10.0.0.1:99",
            },
            static f => f with { SlowCommand = "keys", SlowCalls = 3, SlowMilliseconds = 99 },
            "KEYS took 100 ms in 3 slow calls of the last ten minutes, the longest 60 ms, by 10.0.0.1:99."),
        ["heavy-key"] = new(
            static f => f with { HeaviestKeyLength = 2 * Megabyte }, static f => f with { HeaviestKeyLength = 1000 },
            "The key page makes 60 % of the traffic: it has 2.0 MB."),
        ["hot-key"] = new(
            static f => f with { HotKeyShare = 0.25 }, static f => f with { HotKeyShare = 0.24 },
            "The key popular has 25 % of 1000 requests a second."),
        ["gc"] = new(
            static f => f with { PauseMsPerSecond = 10 }, static f => f with { PauseMsPerSecond = 9 },
            "10 ms of each second"),
        ["thread-pool"] = new(
            static f => f with { QueuedWorkItems = 100 }, static f => f with { QueuedWorkItems = 99 },
            "100 work items"),
        ["processor"] = new(
            static f => f with { ProcessorPercent = 180 }, static f => f with { ProcessorPercent = 179 },
            "180 % of 2 processors"),
        ["eviction-storm"] = new(
            static f => f with { EvictionsPerSecond = 17, HitRatio = null },
            static f => f with { EvictionsPerSecond = 16, HitRatio = null },
            "17 keys a second are evicted of 10000"),
        ["limit"] = new(
            static f => f with { EvictionsPerSecond = 1 },
            static f => f with { EvictionsPerSecond = 1, DoubledHitRatio = 0.91 },
            "twice as much would answer 5.0 % more of the reads (90.0 % now)"),
        ["idle-clients"] = new(
            static f => f with { Clients = 100, IdleClients = 50 },
            static f => f with { Clients = 101, IdleClients = 50 },
            "50 of 100 clients"),
        ["clients"] = new(
            static f => f with { Clients = 8000 }, static f => f with { Clients = 7999 }, "8000 of at most 10000"),
        ["log-ins"] = new(
            static f => f with { RefusedLogInsPerSecond = 0.2 }, static f => f with { RefusedLogInsPerSecond = 0.1 },
            "12 log-ins a minute"),
        ["clock"] = new(
            static f => f with { ClockStepSeconds = -3600 }, static f => f with { ClockStepSeconds = -0.9 },
            "set back by 3600 s"),
        ["loading"] = new(static f => f with { IsLoading = true }, static f => f, "being loaded"),
    };

    public static TheoryData<string> Rules => [.. DoctorRules.All.Select(static rule => rule.Name)];

    [Fact]
    public void Find_AHealthyServer_Nothing() => Assert.Empty(DoctorRules.Find(_healthy));

    [Fact]
    public void Find_AServerWithoutAnyFigures_Nothing() => Assert.Empty(DoctorRules.Find(new DoctorFigures()));

    [Theory]
    [MemberData(nameof(Rules))]
    public void Find_OneThingWrong_IsThatAlone(string rule)
    {
        var (ill, well, word) = _cases[rule];

        var finding = Assert.Single(DoctorRules.Find(ill(_healthy)));

        Assert.Equal(rule, finding.Rule);
        Assert.Contains(word, finding.Sentence, StringComparison.Ordinal);
        Assert.NotEmpty(finding.Advice);
        Assert.Empty(DoctorRules.Find(well(_healthy)));
    }

    [Fact]
    public void Find_SeveralThingsWrong_TheWorstIsFirst()
    {
        var figures = _healthy with
        {
            IsLoading = true,
            HotKeyShare = 0.5,
            RefusedWritesPerSecond = 1,
            FilesProblem = "read-only",
        };

        Assert.Equal(
            ["files", "refused-writes", "hot-key", "loading"],
            DoctorRules.Find(figures).Select(static finding => finding.Rule));
    }

    [Fact]
    public void Find_InACultureWithCommas_SpeaksWithPoints()
    {
        var before = CultureInfo.CurrentCulture;
        try
        {
            var commas = (CultureInfo)CultureInfo.InvariantCulture.Clone();
            commas.NumberFormat.NumberDecimalSeparator = ",";
            CultureInfo.CurrentCulture = commas;
            Assert.Contains(
                "0.5 writes", DoctorRules.Find(_healthy with { RefusedWritesPerSecond = 0.5 })[0].Sentence,
                StringComparison.Ordinal);
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    private sealed record Case(
        Func<DoctorFigures, DoctorFigures> Ill, Func<DoctorFigures, DoctorFigures> Well, string Word);
}
