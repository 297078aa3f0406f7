using System.Text;
using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Tests.Commands.Transactions;
using Cache.Testing;

namespace Cache.Server.Tests.Commands;

/// <summary>Every request of Recorded/*.tsv gets the same reply within MULTI and EXEC, alone or with others.</summary>
public sealed class RecordedTransactionTests
{
    public static TheoryData<string, int> Files()
    {
        var data = new TheoryData<string, int>();
        foreach (string file in new[]
        {
            "strings", "floats", "keys", "bits", "hashes", "lists", "hyperloglogs", "sort", "sets", "sorted-sets",
            "lcs",
            "geo",
        })
        {
            data.Add(file, 2);
            data.Add(file, 3);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Files))]
    public void Execute_RecordedRequestInTransaction_RepliesAsRedis(string file, int protocolVersion)
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
                string reply =
                    RecordedReply.Escape(Encoding.Latin1.GetBytes(CallInTransaction(client, recorded.Words)));
                count++;
                if (reply != expected && !reply.StartsWith("-ERR Command not allowed", StringComparison.Ordinal))
                    differences.Add($"{file}.tsv({recorded.Line}): {reply} instead of {expected}");
            }
        }

        Assert.Empty(differences);
        Assert.NotEqual(0, count);
    }

    [Theory]
    [MemberData(nameof(Files))]
    public void Execute_RecordedParagraphAsOneTransaction_RepliesAsRedis(string file, int protocolVersion) =>
        ExecuteParagraphs(file, protocolVersion, journal: null);

    // Its room is reserved before: what the commands need must be in the estimate.
    [Theory]
    [MemberData(nameof(Files))]
    public void Execute_RecordedParagraphBesideAJournal_RepliesAsRedis(string file, int protocolVersion) =>
        ExecuteParagraphs(file, protocolVersion, new CountingJournal());

    private static void ExecuteParagraphs(string file, int protocolVersion, CountingJournal? journal)
    {
        var differences = new List<string>();
        foreach (var paragraph in RecordedReply.ReadParagraphs(file))
        {
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, new FakeTimeProvider());
            if (journal is not null)
                store.Attach(journal);
            var client = new CommandClient(TestServerState.Create(store));
            client.Context.SetProtocolVersion(protocolVersion);
            var expected = new StringBuilder();
            int queued = 0;
            client.Run("MULTI");
            foreach (var recorded in paragraph)
            {
                if (client.Call(recorded.Words) != "+QUEUED\r\n")
                {
                    client.Run("DISCARD"); // Refused already when it was queued.
                    queued = -1;
                    break;
                }

                queued++;
                expected.Append(protocolVersion == 2 ? recorded.Resp2 : recorded.Resp3);
            }

            if (queued < 0)
                continue;
            string reply = RecordedReply.Escape(Encoding.Latin1.GetBytes(client.Run("EXEC")));
            string header = RecordedReply.Escape(Encoding.Latin1.GetBytes($"*{queued}\r\n"));
            if (reply != header + expected)
                differences.Add($"{file}.tsv({paragraph[0].Line}): {reply} instead of {header}{expected}");
        }

        Assert.Empty(differences);
    }

    private static string CallInTransaction(CommandClient client, string[] words)
    {
        Assert.Equal("+OK\r\n", client.Run("MULTI"));
        string reply = client.Call(words);
        if (reply != "+QUEUED\r\n")
        {
            client.Run("DISCARD");
            return reply;
        }

        reply = client.Run("EXEC");
        return reply.StartsWith("*1\r\n", StringComparison.Ordinal) ? reply["*1\r\n".Length..] : "not one: " + reply;
    }
}
