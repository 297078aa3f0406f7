using System.Text;
using Cache.Core;
using Cache.Server.Settings;
using Cache.Server.Tests.Commands;
using Cache.Server.Tests.Commands.Keys;
using Cache.Testing;

namespace Cache.Server.Tests.Notifications;

/// <summary>Events that no recorded session has: of time, of room, and of the process itself.</summary>
public sealed class KeyspaceNotifierTests : CommandTestBase
{
    private RespSubscription? _heard;

    private RespPubSub PubSub => new(Server.Channels);

    private CacheStore Store => Server.Store;

    private FakeTimeProvider Clock => (FakeTimeProvider)Server.TimeProvider;

    [Fact]
    public void Set_AndReset_ObservesTheStoreOnlyMeanwhile()
    {
        Assert.False(Server.Notifications.IsOn);
        Client.Run("CONFIG SET notify-keyspace-events K");
        Assert.False(Server.Notifications.IsOn);
        Client.Run("CONFIG SET notify-keyspace-events g");
        Assert.False(Server.Notifications.IsOn);
        Client.Run("CONFIG SET notify-keyspace-events Kg");
        Assert.True(Server.Notifications.IsOn);
        Assert.False(Client.Context.IsOrdinary);
        Assert.EndsWith("$2\r\ngK\r\n", Client.Run("CONFIG GET notify-keyspace-events"));
        Client.Call("CONFIG", "SET", "notify-keyspace-events", "");
        Assert.False(Server.Notifications.IsOn);
        Assert.True(Client.Context.IsOrdinary);
    }

    [Fact]
    public void Publish_OfAnExpiredKey_ComesWhenTheStoreMeetsIt()
    {
        Listen("Ex$");
        Client.Run("SET a 1 PX 10");
        Clock.Advance(1_000);
        Client.Run("GET a");

        Assert.Equal(["set a", "expired a"], Heard(2));
    }

    [Fact]
    public void Publish_OfAnEviction_IsOne()
    {
        Listen("Ee");
        string value = new('v', 100_000);
        for (int i = 0; Store.GetStatistics().Evictions == 0; i++)
            Client.Call("SET", $"k{i}", value);

        Assert.StartsWith("evicted k", Heard(1)[0]);
    }

    [Fact]
    public void Publish_OfWritesInProcess_TellsTheirKind()
    {
        Listen("EAn");
        Store.Set("a"u8, "1"u8);
        Store.Set("a"u8, "2"u8);
        Store.Expire("a"u8, Store.NowMs + 10_000, ExpireConditions.None);
        Store.Hash("h"u8).Set("f"u8, "1"u8);
        Store.Hash("h"u8).Remove("f"u8);
        Store.Remove("a"u8);
        Store.Remove("a"u8);

        Assert.Equal(
            ["new a", "set a", "set a", "expire a", "new h", "hset h", "del h", "del a"], Heard(8));
    }

    // Small values, and one that is linked when it was made.
    [Theory]
    [InlineData(1)]
    [InlineData(3_000)]
    public void Publish_OfARestoredKey_IsAsInRedis(int count)
    {
        Client.Call(["SADD", "s", .. Enumerable.Range(0, count).Select(i => $"member:{i}")]);
        string payload = TestPayload.Of(Client.Call("DUMP", "s"));
        Listen("EAn");
        Client.Call("RESTORE", "a", "0", payload);
        Client.Call("RESTORE", "a", "0", payload);
        Client.Call("RESTORE", "a", "0", payload, "REPLACE");
        Client.Call("RESTORE", "a", "1", payload, "REPLACE", "ABSTTL");
        Client.Call("RESTORE", "a", "1", payload, "ABSTTL");
        Client.Call("RESTORE", "b", "0", "no payload");
        Client.Call("SET", "end", "1");

        Assert.Equal(
            ["new a", "restore a", "new a", "restore a", "del a", "new end", "set end"], Heard(7));
    }

    [Fact]
    public void Publish_OfFieldsThatExpire_IsOfHashes()
    {
        Listen("EA");
        Client.Run("HSET h a 1 b 2");
        Client.Run("HPEXPIRE h 10 FIELDS 1 a");
        Client.Run("HPERSIST h FIELDS 1 a");
        Client.Run("HGETDEL h FIELDS 1 a");
        Client.Run("HEXPIRE h 0 FIELDS 1 b");

        Assert.Equal(["hset h", "hexpire h", "hpersist h", "hdel h", "hdel h", "del h"], Heard(6));
    }

    [Fact]
    public void Publish_OfACallInSteps_IsOneOfItsKey()
    {
        Listen("EA");
        string[] elements = [.. Enumerable.Range(0, 2000).Select(static i => $"{i:D8}")];
        Client.Call(["RPUSH", "l", .. elements]);
        Client.Call(["SADD", "s", .. elements]);
        Client.Call(["SREM", "s", .. elements]);

        Assert.Equal(["rpush l", "sadd s", "srem s", "del s"], Heard(4));
    }

    [Fact]
    public void Publish_ToTheClientItself_ComesBehindTheReply()
    {
        var other = new CommandClient(Server);
        other.Context.SetProtocolVersion(3);
        other.Run("CONFIG SET notify-keyspace-events EA");
        other.Run("SUBSCRIBE __keyevent@0__:set");

        Assert.Equal("+OK\r\n>3\r\n$7\r\nmessage\r\n$18\r\n__keyevent@0__:set\r\n$1\r\na\r\n", other.Run("SET a 1"));
    }

    [Fact]
    public void Publish_OfADatabaseThatWasSwapped_NamesItsNumber()
    {
        Listen("EA");
        Client.Run("SWAPDB 0 3");
        Client.Run("SET a 1");
        Client.Run("SELECT 3");
        Client.Run("SET b 1");

        Assert.Equal(["@0 set a", "@3 set b"], Heard(2, withDatabase: true));
    }

    [Theory]
    [InlineData("KEA", "AKE")]
    [InlineData("g$lshzxetd", "A")]
    [InlineData("ndtexzhslg$", "A")]
    [InlineData("mKn", "nKm")]
    [InlineData("", "")]
    public void Format_OfParsedLetters_IsRediss(string letters, string expected) =>
        Assert.Equal(expected, EventFlags.Format(EventFlags.Parse(letters)));

    private void Listen(string classes)
    {
        Client.Run("CONFIG SET notify-keyspace-events " + classes);
        _heard = PubSub.SubscribeToPatterns("__keyevent@*");
    }

    // Events of the process come by a thread of the pool.
    private List<string> Heard(int count, bool withDatabase = false)
    {
        var heard = new List<string>();
        bool isThere = SpinWait.SpinUntil(
            () =>
            {
                while (_heard!.TryRead(out var message))
                    heard.Add(Describe(message, withDatabase));
                return heard.Count >= count;
            },
            TimeSpan.FromSeconds(30));
        Assert.True(isThere, string.Join(", ", heard));
        return heard;
    }

    private static string Describe(RespMessage message, bool withDatabase)
    {
        string channel = Encoding.UTF8.GetString(message.Channel.Span);
        string name = channel[(channel.IndexOf(':') + 1)..];
        string database = channel["__keyevent".Length..channel.IndexOf("__:", StringComparison.Ordinal)];
        return withDatabase ? $"{database} {name} {message.PayloadText}" : $"{name} {message.PayloadText}";
    }
}
