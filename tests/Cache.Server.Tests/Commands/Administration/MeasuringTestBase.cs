using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Administration;

/// <summary>A test of commands on a clock of which each call takes a step.</summary>
public abstract class MeasuringTestBase : IDisposable
{
    private readonly CacheStore _store;

    protected MeasuringTestBase()
    {
        Clock = new SteppingClock();
        _store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, Clock);
        Server = TestServerState.Create(_store);
        Client = new CommandClient(Server);
    }

    private protected SteppingClock Clock { get; }

    private protected ServerState Server { get; }

    private protected CommandClient Client { get; }

    public void Dispose()
    {
        _store.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Executes a command that takes so long.</summary>
    private protected string Take(int milliseconds, string line)
    {
        Clock.Step = TimeSpan.FromMilliseconds(milliseconds);
        Client.Context.Leave();
        string reply = Client.Run(line);
        Clock.Step = TimeSpan.Zero;
        return reply;
    }

    /// <summary>Executes requests of GET and SET as one group, of one key and value.</summary>
    private protected void TakeGroup(int milliseconds, params string[] names) =>
        Assert.Equal(names.Length, TryTakeGroup(milliseconds, names));

    /// <summary>As <see cref="TakeGroup"/>, where some of them may not be executed.</summary>
    /// <returns>How many were.</returns>
    private protected int TryTakeGroup(int milliseconds, params string[] names)
    {
        byte[] input = [.. names.SelectMany(static name => name == "GET"
            ? "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"u8.ToArray()
            : "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n"u8.ToArray())];
        var requests = new CommonRequest[CommonRequestReader.CountMax];
        int count = CommonRequestReader.Read(input, requests);
        Assert.Equal(names.Length, count);
        Clock.Step = TimeSpan.FromMilliseconds(milliseconds);
        _ = Client.Context.TryEnter();
        int executed = CommonCommands.Execute(input, requests.AsSpan(0, count), int.MaxValue, Client.Context);
        Client.Context.Leave();
        Clock.Step = TimeSpan.Zero;
        Client.Context.Output.BeginFlush();
        return executed;
    }
}
