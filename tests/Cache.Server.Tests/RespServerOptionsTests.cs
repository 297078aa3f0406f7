using Cache.Server.Transport.Linux;

namespace Cache.Server.Tests;

public sealed class RespServerOptionsTests
{
    [Fact]
    public void FindProblems_Defaults_FindsNone()
    {
        var options = new RespServerOptions();

        Assert.Empty(options.FindProblems());
        Assert.Equal(6379, options.Port);
        Assert.Equal(["127.0.0.1"], options.Bind);
        Assert.Equal(10_000, options.MaxClients);
        var byDefault = EpollTransport.IsSupported ? RespTransport.Epoll : RespTransport.Portable;
        Assert.Equal(byDefault, options.Transport);
    }

    [Fact]
    public void FindProblems_TransportOutOfRange_NamesTheTransports() =>
        Assert.Equal(
            "RespServerOptions.Transport is 7; it must be one of Portable, Epoll.",
            Assert.Single(new RespServerOptions { Transport = (RespTransport)7 }.FindProblems()));

    [Theory]
    [InlineData(0)]
    [InlineData(RespServerOptions.IoThreadCountMax + 1)]
    public void FindProblems_IoThreadCountOutOfRange_NamesTheRange(int count) =>
        Assert.Equal(
            $"RespServerOptions.IoThreadCount is {count}; it must be between 1 and 256.",
            Assert.Single(new RespServerOptions { IoThreadCount = count }.FindProblems()));

    [Theory]
    [InlineData("*")]
    [InlineData("::*")]
    [InlineData("-::1")]
    [InlineData("localhost")]
    [InlineData("10.0.0.1")]
    public void FindProblems_AnAddress_FindsNone(string address) =>
        Assert.Empty(new RespServerOptions { Bind = [address] }.FindProblems());

    [Fact]
    public void FindProblems_OptionsOutOfRange_NamesEachWithValueAndRange()
    {
        var options = new RespServerOptions
        {
            Port = 70_000,
            Bind = ["not an address"],
            UnixSocketPath = new string('p', 200),
            UnixSocketMode = (UnixFileMode)0xFFFF,
            MaxClients = 0,
            Timeout = TimeSpan.FromSeconds(-1),
            TcpKeepAlive = TimeSpan.FromSeconds(-2),
            Backlog = 0,
            InputBufferLimit = 1,
            OutputBufferLimit = 2,
            OutputStallTimeout = TimeSpan.FromSeconds(-4),
            DrainTimeout = TimeSpan.FromSeconds(-3),
        };

        string problems = string.Join("\n", options.FindProblems());

        Assert.Contains("RespServerOptions.Port is 70000; it must be between 0 and 65535.", problems);
        Assert.Contains("RespServerOptions.Bind is 'not an address'; it must be an IP address, a host", problems);
        Assert.Contains("it must be a path of 1 to 104 bytes without a NUL.", problems);
        Assert.Contains("RespServerOptions.UnixSocketMode is 177777; it must be between 0 and 777, octal.", problems);
        Assert.Contains("RespServerOptions.MaxClients is 0; it must be between 1 and 1000000.", problems);
        Assert.Contains("RespServerOptions.Timeout is -00:00:01; it must be between 00:00:00 and", problems);
        Assert.Contains("RespServerOptions.TcpKeepAlive is -00:00:02;", problems);
        Assert.Contains("RespServerOptions.Backlog is 0; it must be between 1 and 65535.", problems);
        Assert.Contains("RespServerOptions.InputBufferLimit is 1; it must be between 1048576 and", problems);
        Assert.Contains("RespServerOptions.OutputBufferLimit is 2;", problems);
        Assert.Contains("RespServerOptions.OutputStallTimeout is -00:00:04;", problems);
        Assert.Contains("RespServerOptions.DrainTimeout is -00:00:03;", problems);
    }

    [Fact]
    public void FindProblems_NullLists_NamesEachAndLooksAtNothingElse()
    {
        var options = new RespServerOptions
        {
            Bind = null!,
            Users = null!,
            RenamedCommands = null!,
            TlsClientUsers = null!,
            KeptParameters = null!,
        };

        string[] lists = ["Bind", "Users", "RenamedCommands", "TlsClientUsers", "KeptParameters"];
        var expected = lists.Select(static list => $"RespServerOptions.{list} is null; it may be empty, but not null.");
        Assert.Equal(expected, options.FindProblems());
        Assert.Empty(options.FindStartProblems());
    }

    [Fact]
    public void FindProblems_PathWithNul_FindsIt() =>
        Assert.Contains(
            "UnixSocketPath", Assert.Single(new RespServerOptions { UnixSocketPath = "a\0b" }.FindProblems()),
            StringComparison.Ordinal);

    [Fact]
    public void FindProblems_NoAddressAtAll_FindsIt()
    {
        Assert.Single(new RespServerOptions { Bind = [] }.FindProblems());
        Assert.Empty(new RespServerOptions { Bind = [], UnixSocketPath = "s" }.FindProblems());
    }
}
