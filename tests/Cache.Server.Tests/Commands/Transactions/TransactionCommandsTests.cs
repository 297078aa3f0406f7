using System.Text;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Transactions;

/// <summary>What the recorded sessions cannot show of MULTI, EXEC and WATCH.</summary>
public sealed class TransactionCommandsTests : CommandTestBase
{
    [Fact]
    public void Exec_OfRepliesOff_HasTheHeaderAlone()
    {
        Queue("SET a 1", "CLIENT REPLY OFF", "SET b 1");

        Assert.Equal("*3\r\n+OK\r\n", Client.Run("EXEC"));
        Assert.Equal("", Client.Run("GET b"));
        Assert.Equal("+OK\r\n", Client.Run("CLIENT REPLY ON"));
        Assert.Equal("$1\r\n1\r\n", Client.Run("GET b"));
    }

    // As redis-server does: the next command's reply is skipped, not one inside.
    [Fact]
    public void Exec_OfReplySkip_SkipsTheReplyBehind()
    {
        Queue("CLIENT REPLY SKIP", "PING", "PING");

        Assert.Equal("*3\r\n+PONG\r\n+PONG\r\n", Client.Run("EXEC"));
        Assert.Equal("", Client.Run("PING"));
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
    }

    [Fact]
    public void Exec_ThatKillsItsClient_ExecutesTheRest()
    {
        Queue("CLIENT KILL TYPE normal SKIPME no", "SET a 1");

        Assert.Equal("*2\r\n:1\r\n", Client.Run("EXEC"));
        Assert.True(Client.Client.ShouldClose);
        Assert.Equal("$1\r\n1\r\n", Connect().Run("GET a"));
    }

    [Fact]
    public void Exec_InVersion3_IsNullWhenVoid()
    {
        Client.Run("HELLO 3");
        Client.Run("WATCH a");
        Connect().Run("SET a 1");
        Queue("GET a");

        Assert.Equal("_\r\n", Client.Run("EXEC"));
    }

    [Theory]
    [InlineData(10, "*1\r\n+PONG\r\n")]
    [InlineData(1_000, "*-1\r\n")]
    public void Exec_AfterAWatchedKeysExpiry_IsVoid(int passedMs, string reply)
    {
        Client.Run("SET k 1 PX 100");
        Client.Run("WATCH k");
        ((FakeTimeProvider)Server.TimeProvider).Advance(passedMs);
        Queue("PING");

        Assert.Equal(reply, Client.Run("EXEC"));
    }

    // As redis-server does.
    [Theory]
    [InlineData("SETBIT k 2 1", "*1\r\n+PONG\r\n")]
    [InlineData("SETBIT k 2 0", "*-1\r\n")]
    [InlineData("SETBIT k 8 0", "*-1\r\n")]
    [InlineData("BITFIELD k GET u8 0 SET u8 0 49", "*1\r\n+PONG\r\n")]
    [InlineData("BITFIELD k SET u8 0 305", "*1\r\n+PONG\r\n")]
    [InlineData("BITFIELD k OVERFLOW SAT SET u8 0 305", "*-1\r\n")]
    [InlineData("BITFIELD k SET u8 0 49 INCRBY u8 0 1", "*-1\r\n")]
    public void Exec_AfterBitsThatWereSo_IsNotVoid(string line, string reply)
    {
        Client.Run("SET k 1");
        Client.Run("WATCH k");
        Connect().Run(line);
        Queue("PING");

        Assert.Equal(reply, Client.Run("EXEC"));
    }

    [Fact]
    public void Exec_OfSubscriptions_RefusesThoseOfAShard()
    {
        Queue("SSUBSCRIBE x", "SUNSUBSCRIBE x", "SUBSCRIBE y");

        Assert.Equal(
            "*3\r\n-ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client\r\n"
            + "*3\r\n$12\r\nsunsubscribe\r\n$1\r\nx\r\n:0\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\ny\r\n:1\r\n",
            Client.Run("EXEC"));
    }

    // A client of RESP2 takes what comes behind for the reply to its next request.
    [Fact]
    public void Exec_OfSubscriptionsThatEnd_LeavesNoMessageBehind()
    {
        Queue("SUBSCRIBE x", "PUBLISH x m", "UNSUBSCRIBE");

        Assert.Equal(
            "*3\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n:1\r\n"
            + "*3\r\n$11\r\nunsubscribe\r\n$1\r\nx\r\n:0\r\n",
            Client.Run("EXEC"));
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
    }

    // As above, of a message that was framed for RESP3.
    [Fact]
    public void Exec_OfHello2_LeavesNoPushBehind()
    {
        Client.Run("HELLO 3");
        Client.Run("SUBSCRIBE x");
        Queue("PUBLISH x m", "UNSUBSCRIBE", "HELLO 2");

        Assert.DoesNotContain("message", Client.Run("EXEC"), StringComparison.Ordinal);
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
    }

    [Fact]
    public void SlowLog_OfATransaction_HasItsCommands()
    {
        Client.Run("CONFIG SET slowlog-log-slower-than 0");
        Client.Run("SLOWLOG RESET");
        Queue("SET key value");
        Client.Run("EXEC");
        string log = Client.Run("SLOWLOG GET");

        Assert.Contains("$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n", log, StringComparison.Ordinal);
        Assert.DoesNotContain("EXEC", log, StringComparison.Ordinal);
    }

    // Calls of one command that follow each other share their time; where short ones are logged, each has its own.
    [Fact]
    public void Times_OfATransaction_AreOfAllCalls()
    {
        foreach (string limit in (string[])["10000", "-1", "0"])
        {
            Client.Run($"CONFIG SET slowlog-log-slower-than {limit} latency-tracking yes");
            Client.Run("CONFIG RESETSTAT");
            Client.Run("SLOWLOG RESET");
            Queue([.. Enumerable.Repeat("INCR a", 40), "LPUSH a 1", "LPUSH a 1", "GET a", "INCR b"]);
            Client.Run("EXEC");

            Assert.Contains("$5\r\ncalls\r\n:41\r\n", Client.Run("LATENCY HISTOGRAM incr"), StringComparison.Ordinal);
            Assert.Contains("$5\r\ncalls\r\n:2\r\n", Client.Run("LATENCY HISTOGRAM lpush"), StringComparison.Ordinal);
            Assert.Contains("$5\r\ncalls\r\n:1\r\n", Client.Run("LATENCY HISTOGRAM get"), StringComparison.Ordinal);
            string stats = Client.Run("INFO commandstats");
            Assert.Contains("cmdstat_incr:calls=41,", stats, StringComparison.Ordinal);
            Assert.Matches("cmdstat_lpush:calls=2,.*failed_calls=2", stats);
            int logged = Client.Run("SLOWLOG GET -1").Split("$4\r\nINCR\r\n").Length - 1;
            Assert.Equal(limit == "0" ? 41 : 0, logged);
        }
    }

    [Fact]
    public void CommandStats_OfATransaction_CountWhatWasExecuted()
    {
        Client.Run("CONFIG RESETSTAT");
        Queue("SET a 1", "GET a", "LPUSH a 1");
        Client.Run("EXEC");
        Queue("SET a 1");
        Client.Run("DISCARD");
        string stats = Client.Run("INFO commandstats");

        Assert.Contains("cmdstat_set:calls=1,", stats, StringComparison.Ordinal);
        Assert.Contains("cmdstat_exec:calls=1,", stats, StringComparison.Ordinal);
        Assert.Matches("cmdstat_lpush:calls=1,.*failed_calls=1", stats);
    }

    [Fact]
    public void ClientList_OfATransaction_TellsIt()
    {
        var other = Connect();
        Client.Run("WATCH a b");
        Assert.Contains(" watch=2", other.Run("CLIENT LIST"), StringComparison.Ordinal);
        Queue("SET a 1", "SET b 1");
        Assert.Contains(
            "flags=x db=0 sub=0 psub=0 ssub=0 multi=2 ", other.Run("CLIENT LIST"), StringComparison.Ordinal);
        other.Run("SET a 2");
        string line = other.Run("CLIENT LIST");

        Assert.Contains("flags=xd ", line, StringComparison.Ordinal);
        Assert.DoesNotMatch(" multi=2 .* multi-mem=0 ", line);
        Client.Run("EXEC");
        Assert.DoesNotContain("flags=x", other.Run("CLIENT LIST"), StringComparison.Ordinal);
    }

    [Fact]
    public void AclLog_OfADenialInExec_SaysMulti()
    {
        Client.Run("ACL SETUSER bob on nopass ~* +@all");
        var bob = Connect();
        bob.Run("AUTH bob x");
        bob.Run("MULTI");
        bob.Run("GET a");
        Client.Run("ACL SETUSER bob -get");

        Assert.Contains("no permission to execute the command or subcommand", bob.Run("EXEC"));
        Assert.Contains("$7\r\ncontext\r\n$5\r\nmulti\r\n", Client.Run("ACL LOG"), StringComparison.Ordinal);
    }

    [Fact]
    public void Monitor_OfATransaction_ShowsItsCommandsBeforeExec()
    {
        var filter = new MonitorFilter();
        var watcher = Connect();
        Server.Monitors.Add(watcher.Client, watcher.Context.OpenOutbox(), filter);
        Queue("SET a 1");
        Client.Run("EXEC");
        var lines = new List<string>();
        while (watcher.Client.Outbox!.TryTake(out var message))
            lines.Add(Encoding.Latin1.GetString(message.Span).Split('"', 2)[1].Trim());

        Assert.Equal(["MULTI\"", "SET\" \"a\" \"1\"", "EXEC\""], lines);
    }

    [Fact]
    public void Watch_AsItsClientEnds_IsOver()
    {
        Client.Run("WATCH a b");
        Assert.Equal(2, Server.Watches.Count);

        Client.Client.Transaction!.End();

        Assert.Equal(0, Server.Watches.Count);
        Assert.Equal("+OK\r\n", Connect().Run("SET a 1"));
    }

    [Fact]
    public void Watch_OfNeighbours_IsNotTouched()
    {
        var other = Connect();
        Client.Run("WATCH key");
        for (int i = 0; i < 5_000; i++) // Some of them in its bucket.
            other.Run($"SET other{i} 1");
        Queue("PING");

        Assert.Equal("*1\r\n+PONG\r\n", Client.Run("EXEC"));
    }

    [Fact]
    public void Queue_OfManyRequests_KeepsEachWord()
    {
        var queue = new RequestQueue();
        var command = CommandTable.Default.Find("mset"u8)!;
        var random = new Random(1);
        var sent = new List<string[]>();
        for (int i = 0; i < 3_000; i++)
        {
            string[] words =
                [.. Enumerable.Range(0, random.Next(1, 20)).Select(_ => new string('a', random.Next(120)))];
            sent.Add(words);
            var request = Request(words, out byte[] input, out var ranges);
            Assert.True(queue.HasRoomFor(request));
            queue.Add(command, request, elsewhere: null);
            GC.KeepAlive((input, ranges));
        }

        for (int i = 0; i < sent.Count; i++)
        {
            var request = queue[i];
            Assert.Equal(sent[i].Length, request.Count);
            for (int word = 0; word < request.Count; word++)
                Assert.Equal(sent[i][word].Length, request[word].Length);
        }

        Assert.InRange(queue.MemoryBytes, queue.RequestBytes, long.MaxValue);
        Assert.True(queue.Writes);
        queue.Clear();
        Assert.Equal((0, 0L), (queue.Count, queue.MemoryBytes));
    }

    // What the estimate of the journal's room is for: no command may be refused, and all is one group.
    [Fact]
    public void Exec_BesideAJournal_IsOneGroup()
    {
        var journal = new CountingJournal();
        Server.Store.Attach(journal);
        Client.Run("RPUSH l a b c d");
        Client.Run("SET long " + new string('x', 5_000));
        int before = journal.Written.Count;
        Queue(
            "SET a 1", "INCR a", "RENAME long b", "COPY b c", "RENAME b long", "APPEND c y", "SETRANGE c 20000 z",
            "COPY c d", "LMOVE l m LEFT RIGHT", "LTRIM l 0 0", "HSET h f 1 g 2", "ZADD z 1 a", "ZUNIONSTORE y 2 z z",
            "SADD s a b c", "SPOP s 2", "DEL a", "EXPIRE c 100", "PFADD p a", "PFMERGE q p", "BITOP NOT e c",
            "GETDEL e", "MSET f 1 g 2", "LMPOP 1 m LEFT", "SORT l STORE r");
        string reply = Client.Run("EXEC");

        Assert.DoesNotContain("-OOM", reply, StringComparison.Ordinal);
        Assert.Equal(before + 1, journal.Written.Count);
        Assert.InRange(journal.Written[^1], 24, 40);
    }

    private static RespRequest Request(
        string[] words, out byte[] input, out ArgumentRange[] ranges)
    {
        input = Encoding.Latin1.GetBytes(string.Concat(words));
        ranges = new ArgumentRange[words.Length];
        int offset = 0;
        for (int i = 0; i < words.Length; offset += words[i++].Length)
            ranges[i] = new ArgumentRange(offset, words[i].Length);
        return new RespRequest(input, ranges);
    }

    private void Queue(params string[] commands)
    {
        Assert.Equal("+OK\r\n", Client.Run("MULTI"));
        foreach (string command in commands)
            Assert.Equal("+QUEUED\r\n", Client.Run(command));
    }
}
