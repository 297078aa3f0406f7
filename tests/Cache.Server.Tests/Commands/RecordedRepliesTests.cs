using Cache.Core;
using Cache.Server.Commands;
using Cache.Testing;

namespace Cache.Server.Tests.Commands;

/// <summary>Every request of Recorded/*.tsv gets, byte for byte, the reply that redis-server 7.0.15 gave.</summary>
public sealed class RecordedRepliesTests
{
    [Theory]
    [InlineData("strings", 2)]
    [InlineData("strings", 3)]
    [InlineData("floats", 2)]
    [InlineData("floats", 3)]
    [InlineData("keys", 2)]
    [InlineData("keys", 3)]
    [InlineData("bits", 2)]
    [InlineData("bits", 3)]
    [InlineData("hashes", 2)]
    [InlineData("hashes", 3)]
    [InlineData("lists", 2)]
    [InlineData("lists", 3)]
    [InlineData("hyperloglogs", 2)]
    [InlineData("hyperloglogs", 3)]
    [InlineData("sort", 2)]
    [InlineData("sort", 3)]
    [InlineData("sets", 2)]
    [InlineData("sets", 3)]
    [InlineData("sorted-sets", 2)]
    [InlineData("sorted-sets", 3)]
    [InlineData("lcs", 2)]
    [InlineData("lcs", 3)]
    [InlineData("dump", 2)]
    [InlineData("dump", 3)]
    public void Execute_RecordedRequest_RepliesAsRedis(string file, int protocolVersion)
    {
        var differences = new List<string>();
        int count = 0;
        foreach (var paragraph in RecordedReply.ReadParagraphs(file))
        {
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, new FakeTimeProvider());
            var client = new CommandClient(TestServerState.Create(store));
            client.Context.SetProtocolVersion(protocolVersion);
            foreach (var recorded in paragraph)
            {
                string expected = protocolVersion == 2 ? recorded.Resp2 : recorded.Resp3;
                string reply = RecordedReply.Escape(client.CallBytes(recorded.Words));
                count++;
                if (reply != expected)
                    differences.Add($"{file}.tsv({recorded.Line}): {reply} instead of {expected}");
            }
        }

        Assert.Empty(differences);
        Assert.NotEqual(0, count);
    }
}
