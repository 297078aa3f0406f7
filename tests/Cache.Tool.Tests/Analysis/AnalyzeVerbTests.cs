using System.Text;
using System.Text.Json;
using Cache.Server.Doctor;
using Cache.Server.Package;
using Cache.Server.Statistics;
using Cache.Tool.Analysis;

namespace Cache.Tool.Tests.Analysis;

public sealed class AnalyzeVerbTests : IDisposable
{
    // The moment at which the clock of tests begins.
    private const long MadeAt = 1767225600;

    private readonly TemporaryFolder _folder = new();

    private string File => Path.Combine(_folder.Path, "package.zip");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Analyze_HealthyServer_FindsNothing()
    {
        Save(TestPackage.Of());
        var run = ToolRun.Of("analyze", File);
        run.AssertTells("Server 0.1.0, up 1 days 1 h; package of 2026-01-01 00:00:00 UTC, keys by hash");
        run.AssertTells("No rule of the doctor finds anything wrong.");
    }

    [Fact]
    public void Analyze_CriticalServer_IsTheWorstFirstAndExitCode2()
    {
        Save(TestPackage.Of().With(new DoctorFigures { RefusedWritesPerSecond = 3, Clients = 9, ClientsMax = 10 }));
        var run = ToolRun.Of("analyze", File);
        Assert.Equal((2, ""), (run.Code, run.Errors));
        string[] lines = run.Output.Split('\n');
        Assert.Equal("CRITICAL  3.0 writes a second are refused for want of memory. (refused-writes)", lines[2]);
        Assert.Contains("WARNING   9 of at most 10 clients are connected. (clients)", lines);
    }

    // One list of rules: what a live doctor would say of the same figures.
    [Fact]
    public void Analyze_Figures_AreJudgedByTheRulesOfTheLiveDoctor()
    {
        var figures = new DoctorFigures
        {
            FilesProblem = "No space left on device, IOException",
            SlowestReader = "The client 7 at host-1",
            UnreadBytes = 5 << 20,
            CommandsPerSecond = 1000,
            HotKey = "#0011223344556677",
            HotKeyShare = 0.5,
            IsLoading = true,
            ClockStepSeconds = -3600,
        };
        Save(TestPackage.Of().With(figures));
        string[] expected = [.. DoctorRules.Find(figures).Select(static one => one.Sentence)];
        Assert.Equal(5, expected.Length);
        Assert.Equal(expected, Json().GetProperty("findings").EnumerateArray().Select(
            static one => one.GetProperty("sentence").GetString()));
    }

    [Fact]
    public void Analyze_Series_AreTheEvidence()
    {
        Save(TestPackage.Of(static server => AddMinutes(server.History, static _ => 0.5))
            .With(new DoctorFigures { RefusedWritesPerSecond = 0.5 }));
        var finding = Json().GetProperty("findings")[0];
        var evidence = finding.GetProperty("evidence")[0];
        Assert.Equal("refused_writes_per_second", evidence.GetProperty("series").GetString());
        Assert.Equal(0.5, evidence.GetProperty("max").GetDouble());
        Assert.Equal(600, evidence.GetProperty("seconds").GetInt32());
    }

    [Fact]
    public void Analyze_WhatWasWrongBefore_IsToldApart()
    {
        // In the fourth minute of ten.
        Save(TestPackage.Of(static server =>
            AddMinutes(server.History, static second => second is >= 180 and < 240 ? 2 : 0)));
        var run = ToolRun.Of("analyze", File);
        run.AssertTells("In the minutes before, and no longer:");
        run.AssertTells("2.0 writes a second are refused");
        run.AssertTells("in the minute before 2025-12-31 23:54:00 UTC");
        Assert.Empty(Json().GetProperty("findings").EnumerateArray());
        Assert.Equal(MadeAt - 360, Json().GetProperty("earlier")[0].GetProperty("atUnixSeconds").GetInt64());
    }

    [Fact]
    public void Analyze_Page_EncodesWhatThePackageSays()
    {
        Save(TestPackage.Of(static server => AddMinutes(server.History, static _ => 1)).With(
            new DoctorFigures { SlowestReader = "<script>alert(1)</script>", UnreadBytes = 5 << 20 }));
        var run = ToolRun.Of("analyze", File, "--html");
        Assert.Equal(0, run.Code);
        Assert.Contains("&lt;script&gt;alert(1)", run.Output);
        Assert.DoesNotContain("<script", run.Output);
        Assert.Contains("default-src 'none'", run.Output);
        Assert.Contains("<polyline points=\"0,", run.Output);
    }

    [Fact]
    public void Analyze_Terminal_IsNotCommandedByAPackage()
    {
        Save(TestPackage.Of().With(new DoctorFigures { SlowestReader = "\u001b[2Jx", UnreadBytes = 5 << 20 }));
        ToolRun.Of("analyze", File).AssertTells("\\u001b[2Jx does not read");
    }

    [Fact]
    public void Evidence_EachRuleOfTheDoctor_HasItsSeries()
    {
        Assert.Equal(DoctorRules.All.Select(static rule => rule.Name).Order(), Evidence.Series.Keys.Order());
        Assert.All(
            Evidence.Series.Values.SelectMany(static names => names),
            static name => Assert.True(HistorySeries.IndexOf(name) >= 0, name));
    }

    [Fact]
    public void Analyze_Bomb_IsRefused()
    {
        var package = TestPackage.Of();
        package.Parts["bomb.txt"] = new byte[PackageFormat.BytesMax];
        Save(package);
        Assert.InRange(new FileInfo(File).Length, 1, 1 << 20);
        ToolRun.Of("analyze", File).AssertFails(1, "its parts have more than 20971520 bytes together");
    }

    [Theory]
    [InlineData("../figures.json")]
    [InlineData("/etc/passwd")]
    [InlineData("a/b.json")]
    [InlineData("a\\b.json")]
    [InlineData("C.json")]
    public void Analyze_NameOfAPath_IsRefused(string name)
    {
        var package = TestPackage.Of();
        byte[] manifest = Encoding.UTF8.GetBytes(package.Manifest());
        TestPackage.Save(File, [("manifest.json", manifest), .. package.Files, (name, [1])]);
        ToolRun.Of("analyze", File).AssertFails(1, $"'{name}' is not the name of a part");
    }

    [Fact]
    public void Analyze_ChangedPart_IsRefused()
    {
        var package = TestPackage.Of();
        byte[] manifest = Encoding.UTF8.GetBytes(package.Manifest());
        package.Parts["info.txt"][10] ^= 1;
        TestPackage.Save(File, [("manifest.json", manifest), .. package.Files]);
        ToolRun.Of("analyze", File).AssertFails(1, "info.txt was changed");
    }

    [Theory]
    [InlineData("info.txt")]
    [InlineData("figures.json")]
    [InlineData("history-seconds.csv")]
    public void Analyze_ListedPartThatIsMissing_IsRefused(string name)
    {
        var package = TestPackage.Of();
        byte[] manifest = Encoding.UTF8.GetBytes(package.Manifest());
        package.Parts.Remove(name);
        TestPackage.Save(File, [("manifest.json", manifest), .. package.Files]);
        ToolRun.Of("analyze", File).AssertFails(1, $"{name} is missing");
    }

    [Theory]
    [InlineData("figures.json")]
    [InlineData("history-seconds.csv")]
    public void Analyze_NeededPartThatIsNotListed_IsRefused(string name)
    {
        var package = TestPackage.Of();
        package.Parts.Remove(name);
        Save(package);
        ToolRun.Of("analyze", File).AssertFails(1, $"{name} is missing");
    }

    [Fact]
    public void Analyze_PartThatIsNotListed_IsRefused()
    {
        var package = TestPackage.Of();
        byte[] manifest = Encoding.UTF8.GetBytes(package.Manifest());
        TestPackage.Save(File, [("manifest.json", manifest), .. package.Files, ("more.txt", [1])]);
        ToolRun.Of("analyze", File).AssertFails(1, "more.txt is not in its manifest");
    }

    [Theory]
    [InlineData("\"version\":1", "\"version\":2", "is of version 2, and this program reads version 1")]
    [InlineData("\"version\":1", "\"version\":0", "is of version 0")]
    [InlineData("\"version\":1", "\"version\":\"1\"", "its manifest.json is not as a server writes it")]
    [InlineData("\"version\":1", "\"version\":1e99", "its manifest.json is not as a server writes it")]
    [InlineData("cache-package", "other", "its format is not cache-package")]
    [InlineData("\"format\"", "\"form\"", "its manifest.json is not as a server writes it")]
    [InlineData("1767225600000", "9223372036854775807", "its manifest.json is not as a server writes it")]
    [InlineData("90061000", "9223372036854775807", "its manifest.json is not as a server writes it")]
    [InlineData("\"keys\":\"hash\"", "\"keys\":[", "its manifest.json is not as a server writes it")]
    public void Analyze_ForeignManifest_IsRefused(string text, string other, string message)
    {
        var package = TestPackage.Of();
        package.Head = package.Head.Replace(text, other, StringComparison.Ordinal);
        Save(package);
        ToolRun.Of("analyze", File).AssertFails(1, message);
    }

    [Theory]
    [InlineData("figures.json", "[1]")]
    [InlineData("figures.json", "null")]
    [InlineData("figures.json", "{\"Keys\":\"x\"}")]
    [InlineData("history-seconds.csv", "")]
    [InlineData("history-seconds.csv", "at,x\n1")]
    [InlineData("history-seconds.csv", "at,x\n1,NaN")]
    [InlineData("history-seconds.csv", "time,x\n1,2")]
    [InlineData("history-seconds.csv", "at,x\n1,2\n9e18,3\n")]
    [InlineData("history-seconds.csv", "at,x\n-9e300,2\n9e300,3\n")]
    [InlineData("history-seconds.csv", "at,refused_writes_per_second\n1000000000000000,5\n1000000000000120,0\n")]
    [InlineData("history-seconds.csv", "at,refused_writes_per_second\n1,1e308\n2,1e308\n")]
    [InlineData("figures.json", "{\"SlowCommand\":null,\"SlowCalls\":5,\"SlowMilliseconds\":500}")]
    [InlineData("figures.json", "{\"RefusedWritesPerSecond\":\"NaN\"}")]
    [InlineData("figures.json", "{\"RefusedWritesPerSecond\":1e300}")]
    [InlineData("figures.json", "{\"HotKey\":[]}")]
    public void Analyze_ForeignPart_IsRefused(string name, string text)
    {
        var package = TestPackage.Of();
        package.Parts[name] = Encoding.UTF8.GetBytes(text);
        Save(package);
        ToolRun.Of("analyze", File).AssertFails(1, $"{name} is not as a server writes it");
    }

    // Moments are those of the wall clock.
    [Fact]
    public void Analyze_ClockThatWasSetBack_IsNoDamage()
    {
        Save(TestPackage.Of(static server =>
        {
            double[] values = new double[HistorySeries.All.Count];
            server.History.Add(MadeAt, values);
            server.History.Add(MadeAt - 3600, values);
        }));
        ToolRun.Of("analyze", File).AssertTells("No rule of the doctor");
    }

    // Small when packed, and much memory when taken apart before it is looked at.
    [Fact]
    public void Analyze_HistoryOfManyLinesOrColumns_IsRefused()
    {
        var package = TestPackage.Of();
        string lines = "at,x\n" + string.Concat(Enumerable.Repeat("1,1\n", 1000));
        package.Parts["history-seconds.csv"] = Encoding.ASCII.GetBytes(lines);
        Save(package);
        ToolRun.Of("analyze", File).AssertFails(1, "it has more than 1000 lines");
        package.Parts["history-seconds.csv"] = Encoding.ASCII.GetBytes("at" + new string(',', 8192));
        Save(package);
        ToolRun.Of("analyze", File).AssertFails(1, "a line has more than 8192 characters");
    }

    [Fact]
    public async Task Analyze_Pipe_IsReadToItsEnd()
    {
        if (!OperatingSystem.IsLinux())
            return;
        Save(TestPackage.Of());
        using var pipe = new System.IO.Pipes.AnonymousPipeServerStream(System.IO.Pipes.PipeDirection.Out);
        string path = $"/proc/self/fd/{pipe.GetClientHandleAsString()}";
        var run = Task.Run(() => ToolRun.Of("analyze", path), TestContext.Current.CancellationToken);
        pipe.Write(System.IO.File.ReadAllBytes(File));
        pipe.SafePipeHandle.Dispose(); // The end that writes: the other one may not be open yet.
        (await run).AssertTells("No rule of the doctor");
    }

    [Fact]
    public void Analyze_NoZip_IsRefused()
    {
        System.IO.File.WriteAllText(File, "PK no zip");
        ToolRun.Of("analyze", File).AssertFails(1, "it is no zip that can be read");
        TestPackage.Save(File, []);
        ToolRun.Of("analyze", File).AssertFails(1, "it has no manifest.json");
        TestPackage.Save(File, Enumerable.Range(0, 65).Select(static i => ($"p{i}", new byte[1])));
        ToolRun.Of("analyze", File).AssertFails(1, "it has 65 files");
        TestPackage.Save(File, [("a.txt", [1]), ("a.txt", [1])]);
        ToolRun.Of("analyze", File).AssertFails(1, "it has two files a.txt");
    }

    [Fact]
    public void Analyze_ZipWithRandomDamage_IsAnErrorOrTheSamePackage() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        Save(TestPackage.Of());
        byte[] whole = System.IO.File.ReadAllBytes(File);
        for (int i = 0; i < 200; i++)
        {
            byte[] damaged = [.. whole];
            for (int j = random.Next(1, 4); j > 0; j--)
                damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            int length = random.Next(2) == 0 ? damaged.Length : random.Next(damaged.Length);
            System.IO.File.WriteAllBytes(File, damaged[..length]);
            Assert.InRange(ToolRun.Of("analyze", File).Code, 0, 1);
        }
    });

    [Theory]
    [InlineData("/nowhere/at/all does not exist", "/nowhere/at/all")]
    [InlineData("is a directory", "/")]
    [InlineData("exclude each other", "x", "--json", "--html")]
    [InlineData("--yaml is not an option of analyze", "x", "--yaml")]
    public void Analyze_WrongWords_AreExitCode3(string text, params string[] words) =>
        ToolRun.Of(["analyze", .. words]).AssertFails(3, text);

    private static void AddMinutes(MetricHistory history, Func<int, double> refusals)
    {
        double[] values = new double[HistorySeries.All.Count];
        for (int second = 0; second < MetricHistory.FineCount; second++)
        {
            values[HistorySeries.IndexOf("refused_writes_per_second")] = refusals(second);
            history.Add(MadeAt - MetricHistory.FineCount + second, values);
        }
    }

    private void Save(TestPackage package) => package.Save(File);

    private JsonElement Json()
    {
        string text = ToolRun.Of("analyze", File, "--json").Output;
        return JsonDocument.Parse(text).RootElement;
    }
}
