using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>A test of whole connections: a small store, a fake clock, and clients without sockets.</summary>
public abstract class ConnectionTestBase : IDisposable
{
    protected ConnectionTestBase()
    {
        Store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, Clock);
    }

    private protected FakeTimeProvider Clock { get; } = new();

    private protected CacheStore Store { get; }

    public void Dispose()
    {
        Store.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected Task<InMemoryServer> StartAsync(
        RespServerOptions? options = null, InMemoryBounds? bounds = null) =>
        InMemoryServer.StartAsync(Store, options, bounds);

    /// <summary>A request as clients send it; a char is a byte.</summary>
    private protected static string Request(params string[] arguments)
    {
        var text = new StringBuilder().Append('*').Append(arguments.Length).Append("\r\n");
        foreach (string argument in arguments)
            text.Append('$').Append(argument.Length).Append("\r\n").Append(argument).Append("\r\n");
        return text.ToString();
    }

    private protected static string Bulk(string text) => $"${text.Length}\r\n{text}\r\n";

    private protected static string Repeat(string text, int count) =>
        new StringBuilder().Insert(0, text, count).ToString();
}
