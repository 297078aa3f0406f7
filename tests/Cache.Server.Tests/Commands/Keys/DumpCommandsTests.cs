using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Cache.Core;
using Cache.Durability.Dumps;
using Cache.Server.Commands.Keys;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Keys;

/// <summary>DUMP and RESTORE: what was dumped is what comes back, and a hostile payload does no harm.</summary>
public sealed partial class DumpCommandsTests : CommandTestBase
{
    private const string Wrong = "-ERR DUMP payload version or checksum are wrong\r\n";
    private const string Bad = "-ERR Bad data format\r\n";

    private static readonly string[] _kinds = ["string", "hash", "list", "set", "zset", "stream"];

    public static TheoryData<string> Kinds => [.. _kinds];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Restore_OfRandomValuesThatWereDumped_MakesTheSame(string kind) => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        foreach (int count in (int[])[1, 2, 10, 130, 700])
        {
            Client.Run("FLUSHALL");
            Make(kind, count, random);
            string payload = TestPayload.Of(Client.Call("DUMP", "k"));

            Assert.Equal("+OK\r\n", Client.Call("RESTORE", "d", "0", payload));

            Assert.Equal(Contents("k"), Contents("d"));
            Assert.Equal(payload.Length, TestPayload.Of(Client.Call("DUMP", "d")).Length);
            Server.Store.RequireWhole();
        }
    });

    // As Redis, which loads it as a skiplist: only its compact encoding has no −0.
    [Fact]
    public void Restore_OfASortedSetWithALongMember_KeepsTheSignOfZero()
    {
        Client.Call("ZADD", "k", "0", new string('z', 65));
        Client.Call("ZADD", "k", "-0", "a");
        Client.Call("RESTORE", "d", "0", TestPayload.Of(Client.Call("DUMP", "k")));

        Assert.Equal("$2\r\n-0\r\n", Client.Call("ZSCORE", "d", "a"));
        Assert.Equal("$8\r\nskiplist\r\n", Client.Call("OBJECT", "ENCODING", "d"));
        Server.Store.RequireWhole();
    }

    // With the checksum that the changed bytes have: the client is no fool.
    [Theory]
    [MemberData(nameof(Kinds))]
    public void Restore_OfChangedPayloads_IsDoneOrRefused(string kind) => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int round = 0; round < 12; round++)
        {
            Client.Run("FLUSHALL");
            Make(kind, round < 8 ? random.Next(1, 20) : 300, random);
            string payload = TestPayload.Of(Client.Call("DUMP", "k"));
            for (int i = 0; i < 100; i++)
                RestoreChanged(TestPayload.Change(payload, random));
            Server.Store.RequireWhole();
        }
    });

    // In the encodings of Redis, which ours does not write.
    [Fact]
    public void Restore_OfChangedPayloadsOfRedis_IsDoneOrRefused() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        string[] payloads =
        [
            .. RecordedReply.ReadParagraphs("dump").SelectMany(static paragraph => paragraph)
                .Where(static line => line.Words[0] == "RESTORE" && line.Words.Length > 3 && line.Resp2 == @"+OK\r\n")
                .Select(static line => line.Words[3]).Distinct(),
        ];
        Assert.True(payloads.Length > 20);
        for (int i = 0; i < 5_000; i++)
            RestoreChanged(TestPayload.Change(payloads[random.Next(payloads.Length)], random));
        Server.Store.RequireWhole();
    });

    [Fact]
    public void Restore_OfATruncatedPayload_IsRefused()
    {
        Make("stream", 30, new Random(1));
        string payload = TestPayload.Of(Client.Call("DUMP", "k"));

        for (int length = 0; length < payload.Length; length++) // The value is shorter by what becomes its footer.
        {
            Assert.Equal(Wrong, Client.Call("RESTORE", "d", "0", payload[..length]));
            string reply = Client.Call("RESTORE", "d", "0", TestPayload.Sign(payload[..length]));
            Assert.Equal(length < TestPayload.FooterLength ? Wrong : Bad, reply);
            Client.Run("DEL d");
        }
    }

    [Theory]
    [InlineData("\x00\x80\x1f\xff\xff\xff")]
    [InlineData("\x00\xc3\x80\x1f\xff\xff\xff\x80\x1f\xff\xff\xff")]
    [InlineData("\x02\x81\x7f\xff\xff\xff\xff\xff\xff\xff")]
    [InlineData("\x13\x81\x7f\xff\xff\xff\xff\xff\xff\xff")]
    [InlineData("\x01\x80\x00\x00\xff\xff\x01\x61")]
    public void Restore_OfLengthsThatAreNotThere_TakesNoMemory(string value)
    {
        const long AllocatedBytesMax = 1 << 20;
        string payload = TestPayload.SignValue(value);
        Client.Call("RESTORE", "d", "0", payload);
        long before = GC.GetAllocatedBytesForCurrentThread();

        string reply = Client.Call("RESTORE", "d", "0", payload);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, AllocatedBytesMax);
        Assert.Equal(Bad, reply);
    }

    [Fact]
    public void Dump_OfAReplyThatIsTooLong_IsRefused()
    {
        Server.Settings.ClientOutputBufferLimit = 64 << 10;
        Client.Call("SET", "s", new string('x', 70_000));
        Client.Call("RPUSH", "l", new string('x', 30_000), new string('y', 30_000), new string('z', 30_000));

        Assert.Equal("-ERR the reply is longer than client-output-buffer-limit\r\n", Client.Run("DUMP s"));
        Assert.Equal("-ERR the reply is longer than client-output-buffer-limit\r\n", Client.Run("DUMP l"));
    }

    [Fact]
    public void Restore_OverAKey_TakesItsExpiryToo()
    {
        Client.Run("SET k v EX 100");
        string payload = TestPayload.Of(Client.Call("DUMP", "k"));

        Client.Call("RESTORE", "k", "0", payload, "REPLACE");

        Assert.Equal(":-1\r\n", Client.Run("TTL k"));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Restore_WithATimeThatHasPassed_LeavesNothing(string kind)
    {
        Make(kind, 300, new Random(1));
        string payload = TestPayload.Of(Client.Call("DUMP", "k"));

        Assert.Equal("+OK\r\n", Client.Call("RESTORE", "d", "1", payload, "ABSTTL"));
        Assert.Equal(":0\r\n", Client.Run("EXISTS d"));
        Assert.Equal("+OK\r\n", Client.Call("RESTORE", "k", "1", payload, "ABSTTL", "REPLACE"));
        Assert.Equal(":0\r\n", Client.Run("EXISTS k"));
        Client.Call("RESTORE", "d", "5000", payload);
        Assert.Equal(":5000\r\n", Client.Run("PTTL d"));
    }

    // Another client makes the key between the look at it and the write.
    [Fact]
    public void Write_OfAKeyThatIsThereMeanwhile_ChangesNothing()
    {
        Client.Run("SET k old");
        Client.Call("SADD", "s", "m");
        byte[] payload = Encoding.Latin1.GetBytes(TestPayload.Of(Client.Call("DUMP", "s")));
        var options = new RestoreOptions(Replaces: false, IsAbsolute: false)
            .EntryOptionsOf(0, Server.Store, out bool isPast);

        var status = RestoredValue.Write(Server.Store, "k"u8, payload, options, out var written);

        Assert.Equal((RestoreStatus.Written, WriteStatus.ConditionNotMet, false), (status, written, isPast));
        Assert.Equal("$3\r\nold\r\n", Client.Run("GET k"));
    }

    [Fact]
    public void Restore_OfALongValue_KeepsNoMemoryOfIt()
    {
        Client.Call("SET", "k", new string('x', 3 << 20));
        byte[] payload = Encoding.Latin1.GetBytes(TestPayload.Of(Client.Call("DUMP", "k")));

        Assert.Equal(RestoreStatus.Written, RestoredValue.Check(payload));

        Assert.InRange(RestoredValue.KeptBytes, 0, 1 << 20);
    }

    private void RestoreChanged(string payload)
    {
        string reply = Client.Call("RESTORE", "d", "0", payload, "REPLACE");

        Assert.True(reply is "+OK\r\n" or Bad || reply.StartsWith("-OOM ", StringComparison.Ordinal), reply);
        if (reply == "+OK\r\n")
        {
            Contents("d");
            string again = TestPayload.Of(Client.Call("DUMP", "d"));
            Assert.Equal("+OK\r\n", Client.Call("RESTORE", "e", "0", again, "REPLACE"));
            Assert.Equal(Contents("d"), Contents("e"));
        }
    }

    private void Make(string kind, int count, Random random)
    {
        Client.Run("DEL k");
        if (kind == "string")
            Client.Call("SET", "k", Text(random, count * 7));
        for (int i = 0; i < count && kind != "string"; i++)
            Client.Call(Add(kind, i, random));
        if (kind != "stream")
            return;
        Client.Call("XGROUP", "CREATE", "k", "group", "0");
        Client.Call("XGROUP", "CREATE", "k", "other", "$");
        string half = (count / 2).ToString(CultureInfo.InvariantCulture);
        Client.Call("XREADGROUP", "GROUP", "group", "one", "COUNT", half, "STREAMS", "k", ">");
        Client.Call("XREADGROUP", "GROUP", "group", "two", "COUNT", "3", "STREAMS", "k", ">");
        for (int i = 0; i < count / 8; i++)
            Client.Call("XDEL", "k", $"{random.Next(count) + 1}-{1}");
    }

    private static string[] Add(string kind, int index, Random random)
    {
        string text = Text(random, random.Next(60) == 0 ? 5_000 : 20);
        string score = random.Next(-100, 100).ToString(CultureInfo.InvariantCulture);
        return kind switch
        {
            "hash" => ["HSET", "k", $"{index}{Text(random, 9)}", text],
            "list" => ["RPUSH", "k", text],
            "set" => ["SADD", "k", random.Next(3) == 0 ? score : text],
            "zset" => ["ZADD", "k", random.Next(9) == 0 ? "inf" : $"{score}.5", text],
            _ => random.Next(3) == 0
                ? ["XADD", "k", $"{index + 1}-1", "other", text, "", score]
                : ["XADD", "k", $"{index + 1}-1", "field", text],
        };
    }

    private static string Text(Random random, int lengthMax)
    {
        if (random.Next(4) == 0)
            return random.Next(-100_000, 100_000).ToString(CultureInfo.InvariantCulture);
        byte[] bytes = new byte[random.Next(lengthMax + 1)];
        random.NextBytes(bytes);
        return Encoding.Latin1.GetString(bytes);
    }

    // All that commands tell of a key, whatever it is, in one order.
    private string Contents(string key) => Client.Run($"TYPE {key}").Trim() switch
    {
        "+string" => Client.Run($"GET {key}"),
        "+hash" => Ordered($"HGETALL {key}"),
        "+list" => Client.Run($"LRANGE {key} 0 -1"),
        "+set" => Ordered($"SMEMBERS {key}"),
        "+zset" => Client.Run($"ZRANGE {key} 0 -1 WITHSCORES"),
        "+stream" => string.Concat(
            ((string[])["XRANGE {0} - +", "XINFO STREAM {0} FULL COUNT 0", "XINFO GROUPS {0}", "XLEN {0}"])
            .Select(line => WithoutTree(Client.Run(string.Format(CultureInfo.InvariantCulture, line, key))))),
        var other => other,
    };

    // The blocks of a stream are cut anew.
    private static string WithoutTree(string reply) => TreeKeys().Replace(reply, "");

    [GeneratedRegex(@"radix-tree-(keys|nodes)\r\n:\d+")]
    private static partial Regex TreeKeys();

    private string Ordered(string line)
    {
        char[] characters = Client.Run(line).ToCharArray();
        Array.Sort(characters);
        return new string(characters);
    }
}
