using System.Globalization;
using Cache.Core;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Hashes;

/// <summary>The commands of fields that expire.</summary>
/// <remarks>
/// The redis-server of the tests is 7.0 and lacks them: what is expected is read in t_hash.c of Redis 8 (hexpire and
/// its kin as in 7.4), the order of its checks included.
/// </remarks>
public sealed class HashExpiryCommandsTests : CommandTestBase
{
    private const string Count = "-ERR The `numfields` parameter must match the number of arguments\r\n";
    private const string Fields = "-ERR Mandatory argument FIELDS is missing or not at the right position\r\n";
    private const string Positive = "-ERR Number of fields must be a positive integer\r\n";
    private const string Negative = "-ERR invalid expire time, must be >= 0\r\n";
    private const string NoInteger = "-ERR value is not an integer or out of range\r\n";
    private const string OneOf = "-ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified\r\n";

    private FakeTimeProvider Clock => (FakeTimeProvider)Server.Store.TimeProvider;

    private long Now => Server.Store.NowUnixMs;

    // The key is h, with a, b and t, which expires in 100 s.
    public static TheoryData<string, string> Rows { get; } = new()
    {
        { "HEXPIRE h 10 FIELDS 3 a absent b", Integers(1, -2, 1) },
        { "HEXPIRE absent 10 FIELDS 2 a b", Integers(-2, -2) },
        { "HEXPIRE h 10 NX FIELDS 2 a t", Integers(1, 0) },
        { "HEXPIRE h 10 XX FIELDS 2 a t", Integers(0, 1) },
        { "HEXPIRE h 10 GT FIELDS 2 a t", Integers(0, 0) },
        { "HEXPIRE h 100 GT FIELDS 1 t", Integers(0) },
        { "HEXPIRE h 101 gt fields 1 t", Integers(1) },
        { "HEXPIRE h 10 LT FIELDS 2 a t", Integers(1, 1) },
        { "HEXPIRE h 100 LT FIELDS 1 t", Integers(0) },
        { "HEXPIRE h 10 NX FIELDS 2 a a", Integers(1, 0) },
        { "HEXPIRE h 0 FIELDS 3 a a b", Integers(2, -2, 2) },
        { "HPEXPIRE h 0 FIELDS 1 a", Integers(2) },
        { "HEXPIREAT h 1 FIELDS 1 a", Integers(2) },
        { "HPEXPIREAT h 0 FIELDS 2 a t", Integers(2, 2) },
        { "HPEXPIREAT h 1 GT FIELDS 1 t", Integers(0) },
        { "HPEXPIREAT h 70368744177663 FIELDS 1 a", Integers(1) },
        { "HPEXPIREAT h 70368744177664 FIELDS 1 a", "-ERR invalid expire time in 'hpexpireat' command\r\n" },
        { "HEXPIREAT h 70368744178 FIELDS 1 a", "-ERR invalid expire time in 'hexpireat' command\r\n" },
        { "HPEXPIRE h 70368744177663 FIELDS 1 a", "-ERR invalid expire time in 'hpexpire' command\r\n" },
        { "HEXPIRE h 9223372036854775807 FIELDS 1 a", "-ERR invalid expire time in 'hexpire' command\r\n" },
        { "HEXPIRE h 9223372036854775808 FIELDS 1 a", NoInteger },
        { "HEXPIRE h -1 FIELDS 1 a", Negative },
        { "HEXPIRE h 1.5 FIELDS 1 a", NoInteger },
        { "HEXPIRE h 10 NX XX FIELDS 1 a", Fields },
        { "HEXPIRE h 10 YY FIELDS 1 a", Fields },
        { "HEXPIRE h 10 1 a b c", Fields },
        { "HEXPIRE h 10 FIELDS 0 a", "-ERR Parameter `numFields` should be greater than 0\r\n" },
        { "HEXPIRE h 10 FIELDS -1 a", "-ERR Parameter `numFields` should be greater than 0\r\n" },
        { "HEXPIRE h 10 FIELDS x a", "-ERR Parameter `numFields` should be greater than 0\r\n" },
        { "HEXPIRE h 10 FIELDS 2 a", Count },
        { "HEXPIRE h 10 FIELDS 1 a b", Count },
        { "HEXPIRE h 10 FIELDS 1000000000 a", Count },
        { "HEXPIRE h 10 FIELDS 1", "-ERR wrong number of arguments for 'hexpire' command\r\n" },
        { "HPERSIST h FIELDS 4 a t absent t", Integers(-1, 1, -2, -1) },
        { "HPERSIST absent FIELDS 1 a", Integers(-2) },
        { "HPERSIST h FIELDS 0 a", Positive },
        { "HPERSIST h FIELDS 2 a", Count },
        { "HPERSIST h FIELD 1 a", Fields },
        { "HPERSIST h FIELDS 1", "-ERR wrong number of arguments for 'hpersist' command\r\n" },
        { "HTTL h FIELDS 3 a t absent", Integers(-1, 100, -2) },
        { "HPTTL h FIELDS 3 a t absent", Integers(-1, 100_000, -2) },
        { "HTTL absent FIELDS 1 a", Integers(-2) },
        { "HTTL h FIELDS 99999999999999999999 a", Positive },
        { "HTTL h FIELDS 3 a t", Count },
        { "HTTL h 1 a t", Fields },
        { "HPEXPIRETIME h FIELDS 1", "-ERR wrong number of arguments for 'hpexpiretime' command\r\n" },
        { "HGETDEL h FIELDS 3 a absent a", "*3\r\n$1\r\n1\r\n$-1\r\n$-1\r\n" },
        { "HGETDEL absent FIELDS 1 a", "*1\r\n$-1\r\n" },
        { "HGETDEL h FIELDS 0 a", Positive },
        { "HGETDEL h FIELDS 2 a", Count },
        { "HGETDEL h a 1 FIELDS", Fields },
        { "HGETDEL h FIELDS 1", "-ERR wrong number of arguments for 'hgetdel' command\r\n" },
        { "HGETEX h FIELDS 2 a absent", "*2\r\n$1\r\n1\r\n$-1\r\n" },
        { "HGETEX h EX 10 FIELDS 2 a a", "*2\r\n$1\r\n1\r\n$1\r\n1\r\n" },
        { "HGETEX h EXAT 1 FIELDS 2 a a", "*2\r\n$1\r\n1\r\n$-1\r\n" },
        { "HGETEX h px 10 fields 1 b", "*1\r\n$1\r\n2\r\n" },
        { "HGETEX absent PERSIST FIELDS 1 a", "*1\r\n$-1\r\n" },
        { "HGETEX h EX -1 FIELDS 1 a", Negative },
        { "HGETEX h EX x FIELDS 1 a", NoInteger },
        { "HGETEX h PX 70368744177664 FIELDS 1 a", "-ERR invalid expire time in 'hgetex' command\r\n" },
        { "HGETEX h EX 10 PERSIST FIELDS 1 a", Fields },
        { "HGETEX h PERSIST FIELDS 0 a", Positive },
        { "HGETEX h PERSIST FIELDS 2 a", Count },
        { "HGETEX h FIELDS 1", "-ERR wrong number of arguments for 'hgetex' command\r\n" },
        { "HSETEX h FIELDS 2 a 3 c 4", ":1\r\n" },
        { "HSETEX h FNX FIELDS 2 a 3 c 4", ":0\r\n" },
        { "HSETEX h FNX EX 10 FIELDS 2 d 3 c 4", ":1\r\n" },
        { "HSETEX h FXX FIELDS 2 a 3 c 4", ":0\r\n" },
        { "HSETEX h EX 10 FXX FIELDS 2 a 3 b 4", ":1\r\n" },
        { "HSETEX absent FXX FIELDS 1 a 3", ":0\r\n" },
        { "HSETEX h PXAT 1 FIELDS 1 a 3", ":1\r\n" },
        { "HSETEX h EX 10 PX 10 FIELDS 1 a 3", OneOf },
        { "HSETEX h KEEPTTL EXAT 10 FIELDS 1 a 3", OneOf },
        { "HSETEX h FNX FXX FIELDS 1 a 3", "-ERR Only one of FXX or FNX arguments can be specified\r\n" },
        { "HSETEX h NX FIELDS 1 a 3", "-ERR unknown argument: NX\r\n" },
        { "HSETEX h EX -5 FIELDS 1 a 3", Negative },
        { "HSETEX h EX 70368744178 FIELDS 1 a 3", "-ERR invalid expire time in 'hsetex' command\r\n" },
        { "HSETEX h FNX KEEPTTL FNX EX", "-ERR Only one of FXX or FNX arguments can be specified\r\n" },
        { "HSETEX h FNX KEEPTTL x EX", "-ERR unknown argument: x\r\n" },
        { "HSETEX h FIELDS 0 a 3", "-ERR invalid number of fields\r\n" },
        { "HSETEX h FIELDS x a 3", "-ERR invalid number of fields\r\n" },
        { "HSETEX h FIELDS 2 a 3", "-ERR wrong number of arguments for 'hsetex' command\r\n" },
        { "HSETEX h FIELDS 1 a 3 b", "-ERR wrong number of arguments for 'hsetex' command\r\n" },
        { "HSETEX h FXX EX 10 EX", OneOf },
        { "HSETEX h FXX FNX 10 EX", "-ERR Only one of FXX or FNX arguments can be specified\r\n" },
    };

    [Theory]
    [MemberData(nameof(Rows))]
    public void Command_RepliesAsRedis8(string line, string reply)
    {
        Client.Run("HSET h a 1 b 2 t 3");
        Client.Run("HEXPIRE h 100 FIELDS 1 t");

        Assert.Equal(reply, Client.Run(line));
        Assert.Equal("+PONG\r\n", Client.Run("PING"));
    }

    [Theory]
    [InlineData(3)]
    [InlineData(1_000)] // A large hash.
    public void Fields_ThatExpire_AreGoneForAllCommands(int count)
    {
        Client.Run("HSET h" + string.Concat(Enumerable.Range(0, count).Select(i => $" f{i} value{i}")));
        Assert.Equal(Integers(1), Client.Run("HPEXPIRE h 1500 FIELDS 1 f1"));
        Assert.Equal(Integers(2), Client.Run("HTTL h FIELDS 1 f1")); // Rounded up.
        Assert.Equal(Integers(1500), Client.Run("HPTTL h FIELDS 1 f1"));
        Assert.Equal(Integers((Now + 1500 + 999) / 1000), Client.Run("HEXPIRETIME h FIELDS 1 f1"));
        Assert.Equal(Integers(Now + 1500), Client.Run("HPEXPIRETIME h FIELDS 1 f1"));
        Clock.JumpWallClock(TimeSpan.FromMilliseconds(1_500)); // No sweep comes.

        Assert.Equal("$-1\r\n", Client.Run("HGET h f1"));
        Assert.Equal("*2\r\n$-1\r\n$6\r\nvalue2\r\n", Client.Run("HMGET h f1 f2"));
        Assert.Equal($":{count - 1}\r\n", Client.Run("HLEN h"));
        Assert.Equal(":0\r\n", Client.Run("HEXISTS h f1"));
        Assert.Equal(":0\r\n", Client.Run("HSTRLEN h f1"));
        Assert.Equal(":0\r\n", Client.Run("HDEL h f1"));
        Assert.Equal(Integers(-2), Client.Run("HTTL h FIELDS 1 f1"));
        Assert.Equal(Integers(-2), Client.Run("HPERSIST h FIELDS 1 f1"));
        Assert.Equal("*1\r\n$-1\r\n", Client.Run("HGETDEL h FIELDS 1 f1"));
        foreach (string command in new[] { "HGETALL h", "HKEYS h", "HVALS h", "HSCAN h 0 COUNT 5000" })
        {
            Assert.DoesNotContain("f1\r\n", Client.Run(command), StringComparison.Ordinal);
            Assert.DoesNotContain("value1\r\n", Client.Run(command), StringComparison.Ordinal);
        }

        Assert.StartsWith($"*{count - 1}\r\n", Client.Run("HKEYS h"), StringComparison.Ordinal);
        Assert.StartsWith($"*{count - 1}\r\n", Client.Run("HRANDFIELD h 5000"), StringComparison.Ordinal);
        Assert.Equal(":1\r\n", Client.Run("HSETNX h f1 again"));
        Assert.Equal(Integers(-1), Client.Run("HTTL h FIELDS 1 f1"));
    }

    [Fact]
    public void Writes_KeepAnExpiryOrClearIt()
    {
        Client.Run("HSET h n 1 m 1");
        Client.Run("HEXPIRE h 100 FIELDS 2 n m");
        Assert.Equal(":3\r\n", Client.Run("HINCRBY h n 2"));
        Assert.Equal("$3\r\n2.5\r\n", Client.Run("HINCRBYFLOAT h m 1.5"));
        Assert.Equal(Integers(100, 100), Client.Run("HTTL h FIELDS 2 n m"));
        Assert.Equal(":0\r\n", Client.Run("HSET h n 5"));
        Assert.Equal(":1\r\n", Client.Run("HSETEX h KEEPTTL FIELDS 1 m 5"));
        Assert.Equal(Integers(-1, 100), Client.Run("HTTL h FIELDS 2 n m"));
        Assert.Equal(":1\r\n", Client.Run("HSETEX h FIELDS 1 m 5"));
        Assert.Equal(Integers(-1, -1), Client.Run("HTTL h FIELDS 2 n m"));
    }

    [Fact]
    public void TheLastField_TakesItsKeyAlong()
    {
        Client.Run("HSET h a 1 b 2");
        Assert.Equal("*2\r\n$1\r\n1\r\n$1\r\n2\r\n", Client.Run("HGETDEL h FIELDS 2 a b"));
        Assert.Equal(":0\r\n", Client.Run("EXISTS h"));
        Client.Run("HSET h a 1");
        Assert.Equal(Integers(2), Client.Run("HEXPIREAT h 1 FIELDS 1 a"));
        Assert.Equal(":0\r\n", Client.Run("EXISTS h"));
        Client.Run("HSETEX h PX 50 FIELDS 1 a 1");
        Clock.Advance(1_000);
        Assert.Equal(":0\r\n", Client.Run("EXISTS h"));
        Assert.Equal("+none\r\n", Client.Run("TYPE h"));
    }

    [Fact]
    public void ObjectEncoding_OfAHashWithAnExpiry_IsThatOfRedis()
    {
        Client.Run("HSET h a 1");
        Assert.Equal("$8\r\nlistpack\r\n", Client.Run("OBJECT ENCODING h"));
        Client.Run("HEXPIRE h 10 FIELDS 1 a");
        Assert.Equal("$10\r\nlistpackex\r\n", Client.Run("OBJECT ENCODING h"));
        Client.Run("HPERSIST h FIELDS 1 a");
        Assert.Equal("$10\r\nlistpackex\r\n", Client.Run("OBJECT ENCODING h"));
        Client.Run($"HSET h b {new string('v', 100)}");
        Assert.Equal("$9\r\nhashtable\r\n", Client.Run("OBJECT ENCODING h"));
    }

    [Fact]
    public void HGetEx_OfOneLongFieldManyTimes_IsRefusedLikeHMGet()
    {
        Server.Settings.ClientOutputBufferLimit = 1 << 20;
        Client.Run($"HSET h f {new string('v', 3_900)}");

        string reply = Client.Run(
            "HGETEX h EX 100 FIELDS 20000" + string.Concat(Enumerable.Repeat(" f", 20_000)));

        Assert.Equal("-ERR the reply is longer than client-output-buffer-limit\r\n", reply);
    }

    [Fact]
    public void ManyFields_AreChangedInSteps()
    {
        string names = string.Concat(Enumerable.Range(0, 500).Select(i => $" f{i}"));
        string pairs = string.Concat(Enumerable.Range(0, 500).Select(i => $" f{i} v{i}"));
        Assert.Equal(":1\r\n", Client.Run($"HSETEX h FNX EX 100 FIELDS 500{pairs}"));
        Assert.Equal(":0\r\n", Client.Run($"HSETEX h FNX EX 100 FIELDS 500{pairs}"));
        Assert.Equal(Integers([.. Enumerable.Repeat(100L, 500)]), Client.Run($"HTTL h FIELDS 500{names}"));
        Assert.Equal(Integers([.. Enumerable.Repeat(1L, 500)]), Client.Run($"HPERSIST h FIELDS 500{names}"));
        Assert.StartsWith("*500\r\n$2\r\nv0\r\n", Client.Run($"HGETDEL h FIELDS 500{names}"), StringComparison.Ordinal);
        Assert.Equal(":0\r\n", Client.Run("EXISTS h"));
    }

    private static string Integers(params long[] values) =>
        string.Create(CultureInfo.InvariantCulture, $"*{values.Length}\r\n")
        + string.Concat(values.Select(v => string.Create(CultureInfo.InvariantCulture, $":{v}\r\n")));
}
