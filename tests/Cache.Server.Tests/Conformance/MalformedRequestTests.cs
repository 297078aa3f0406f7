using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Server.Tests.Conformance;

/// <summary>Every malformed request that was tried on Redis, whole and in pieces.</summary>
public sealed class MalformedRequestTests : IDisposable
{
    // Cut at every position up to here; a longer one at positions near its ends and near the limits of the reader.
    private const int LengthCutEverywhere = 300;

    // The most bytes of a line that has no end yet.
    private const int LineBytesMax = 64 * 1024;

    private const string Tls = "TLS client hello";
    private const string LongLine = "inline 70000 bytes with newline";

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

    /// <summary>The cases that are not as in Redis, each with the reason; each has a test of its own below.</summary>
    private static IReadOnlyDictionary<string, string> Exceptions { get; } = new Dictionary<string, string>
    {
        [Tls] = "A client that speaks TLS to a plain port is disconnected; Redis lets it wait for ever.",
        [LongLine] = "A line over 64 KiB is refused; by Redis too, unless its end arrives with what is before it.",
    };

    public static TheoryData<string> Names =>
        [.. MalformedRequest.All.Select(request => request.Name).Where(name => !Exceptions.ContainsKey(name))];

    public void Dispose() => _store.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Request_InAnyPieces_GetsRedissReplyAndEnd(string name)
    {
        var request = Find(name);
        await using var server = await InMemoryServer.StartAsync(_store);

        foreach (var pieces in PiecesOf(request.Input))
            Assert.Equal((request.Reply, request.Closes), Send(server, request.Input, pieces));
    }

    [Fact]
    public async Task TlsHello_IsRefused()
    {
        await using var server = await InMemoryServer.StartAsync(_store);
        string input = Find(Tls).Input;

        Assert.Equal(("", true), Send(server, input, [input.Length]));
    }

    [Fact]
    public async Task LongLine_IsTakenUpToTheLimitOnly()
    {
        await using var server = await InMemoryServer.StartAsync(_store);
        string input = Find(LongLine).Input;
        string atLimit = $"ECHO {new string('A', LineBytesMax - 7)}\r\n";

        var longest = Send(server, atLimit, [atLimit.Length]);
        var tooLong = Send(server, input, [input.Length]);

        Assert.Equal(($"${LineBytesMax - 7}\r\n{atLimit[5..]}", false), longest);
        Assert.Equal(("-ERR Protocol error: too big inline request\r\n", true), tooLong);
    }

    [Fact]
    public void Exceptions_AreCasesOfTheFile() =>
        Assert.All(Exceptions.Keys, name => Assert.Contains(MalformedRequest.All, request => request.Name == name));

    private static MalformedRequest Find(string name) => MalformedRequest.All.Single(one => one.Name == name);

    private static (string Reply, bool IsClosed) Send(InMemoryServer server, string input, IReadOnlyList<int> pieces)
    {
        var client = server.Connect();
        int at = 0;
        foreach (int length in pieces)
        {
            client.Send(input.Substring(at, length));
            at += length;
        }

        string reply = Encoding.Latin1.GetString(client.ReadAll());
        bool isClosed = client.IsClosed;
        client.Vanish();
        return (reply, isClosed);
    }

    private static IEnumerable<IReadOnlyList<int>> PiecesOf(string input)
    {
        if (input.Length <= LengthCutEverywhere)
            return Splits.All(input.Length);
        int[] cuts = [1, 2, 5, 6, 7, 4096, 16_384, LineBytesMax - 1, LineBytesMax];
        return cuts.Where(cut => cut < input.Length)
            .Select(cut => (IReadOnlyList<int>)[cut, input.Length - cut]).Prepend([input.Length]);
    }
}
