namespace Cache.Tool.Tests.Configuration;

public sealed class ConfigVerbTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Check_GoodFile_IsTaken()
    {
        var run = Check("port 7000\nmaxmemory 64mb\n# a comment\nhz 20\n");
        run.AssertTells("hz has no effect here");
        run.AssertTells("3 settings, all of which a server takes");
    }

    [Theory]
    [InlineData("maxmemry 64mb", "line 1: there is no directive 'maxmemry'; did you mean 'maxmemory'?")]
    [InlineData("maxclients 0", "line 1: maxclients is '0'; it must be an integer between 1 and 1000000.")]
    [InlineData("port", "line 1: port needs a value")]
    [InlineData("appendonly maybe", "appendonly is 'maybe'; it must be one of yes, no.")]
    [InlineData("port \"70", "line 1: a quote is not closed")]
    [InlineData("port 0", "nothing to listen on")]
    [InlineData("replicaof a 1", "this server cannot be a replica")]
    public void Check_WrongFile_IsRefusedWithItsLine(string text, string problem)
    {
        var run = Check(text);
        Assert.Contains(problem, run.Output);
        Assert.Contains("a server would refuse it", run.Output);
        Assert.Equal((1, ""), (run.Code, run.Errors));
    }

    // A server would take it, and it would win.
    [Fact]
    public void Check_OverridesBesideAndInDir_AreLookedAt()
    {
        string beside = Path.Combine(_folder.Path, "overrides.conf");
        string dir = Directory.CreateDirectory(Path.Combine(_folder.Path, "dir")).FullName;
        File.WriteAllText(beside, "maxclients 0\n");
        var run = Check($"dir {dir}\nport 7000\n");
        Assert.Contains($"{beside}, line 1: maxclients is '0'", run.Output);
        Assert.Equal(1, run.Code);
        File.WriteAllText(beside, "maxclients 5\n");
        File.WriteAllText(Path.Combine(dir, "overrides.conf"), "timeout 5\n");
        run = Check($"dir {dir}\nport 7000\n");
        run.AssertTells($"{beside} wins over it");
        run.AssertTells($"{Path.Combine(dir, "overrides.conf")} wins over it");
        run.AssertTells("4 settings, all of which a server takes");
    }

    [Fact]
    public void Check_AllErrors_AreTold() => Assert.Contains("2 errors", Check("maxclients 0\ntimeout -1\n").Output);

    [Fact]
    public void Check_Start_LooksAtThisMachineToo()
    {
        string missing = Path.Combine(_folder.Path, "none");
        Assert.Equal(0, Check($"dir {missing}\nsave 900 1\n").Code);
        var run = Check($"dir {missing}\nsave 900 1\n", "--start");
        Assert.Contains($"dir is '{missing}', which is no folder.", run.Output);
        Assert.Equal(1, run.Code);
    }

    [Theory]
    [InlineData("/nowhere/at/all does not exist.", "check", "/nowhere/at/all")]
    [InlineData("/ is a directory.", "check", "/")]
    [InlineData("'show' is not known", "show", "x")]
    [InlineData("config needs FILE", "check")]
    public void Check_WrongWords_AreTold(string text, params string[] words) =>
        ToolRun.Of(["config", .. words]).AssertFails(2, text);

    private ToolRun Check(string text, params string[] words)
    {
        string path = Path.Combine(_folder.Path, "cache.conf");
        File.WriteAllText(path, text);
        return ToolRun.Of(["config", "check", path, .. words]);
    }
}
