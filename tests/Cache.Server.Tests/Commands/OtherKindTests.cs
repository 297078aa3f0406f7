using Cache.Core;
using Cache.Server.Commands.Table;
using Cache.Testing;

namespace Cache.Server.Tests.Commands;

/// <summary>What each command replies to a key whose value is no string; all replies are Redis's, of a hash.</summary>
public sealed class OtherKindTests : CommandTestBase
{
    private const string WrongType = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";
    private const string NoStrings = "-ERR The specified keys must contain string values\r\n";

    private const string NoFrequency =
        "-ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching "
        + "between policies at runtime LRU and LFU data will take some time to adjust.\r\n";

    // The key is k; s is a string.
    private static readonly (string Line, string Reply)[] _rows =
    [
        ("append k v", WrongType),
        ("bitcount k", WrongType),
        ("bitcount k 0 nonumber", WrongType),
        ("bitfield k get u8 0", WrongType),
        ("bitfield k set u8 0 1", WrongType),
        ("bitfield k", WrongType),
        ("bitfield_ro k get u8 0", WrongType),
        ("bitop and d s k", WrongType),
        ("bitop not d k", WrongType),
        ("bitop not k s", ":1\r\n"),
        ("bitpos k 1", WrongType),
        ("bitpos k 1 nonumber", WrongType),
        ("copy k d", ":1\r\n"),
        ("decr k", WrongType),
        ("decrby k 1", WrongType),
        ("del k", ":1\r\n"),
        ("dump absent", "$-1\r\n"),
        ("exists k", ":1\r\n"),
        ("expire k 100", ":1\r\n"),
        ("expireat k 99999999999", ":1\r\n"),
        ("expiretime k", ":-1\r\n"),
        ("get k", WrongType),
        ("getbit k 0", WrongType),
        ("getdel k", WrongType),
        ("getex k", WrongType),
        ("getex k ex 10", WrongType),
        ("getex k ex -10", WrongType),
        ("getex k persist", WrongType),
        ("getrange k 0 1", WrongType),
        ("getrange k -1 -5", WrongType),
        ("getset k v", WrongType),
        ("incr k", WrongType),
        ("incrby k 1", WrongType),
        ("incrby k nonumber", "-ERR value is not an integer or out of range\r\n"),
        ("incrbyfloat k 1.5", WrongType),
        ("incrbyfloat k nonumber", WrongType),
        ("lcs k s", NoStrings),
        ("lcs s k", NoStrings),
        ("lcs k absent", NoStrings),
        ("lcs k s noword", NoStrings),
        ("memory|usage k", ":24\r\n"),
        ("mget k s", "*2\r\n$-1\r\n$1\r\nv\r\n"),
        ("migrate 127.0.0.1 1 absent 0 1", "+NOKEY\r\n"),
        ("move k 1", ":1\r\n"),
        ("mset k v", "+OK\r\n"),
        ("msetnx k v", ":0\r\n"),
        ("object|encoding k", "$8\r\nlistpack\r\n"),
        ("object|freq k", NoFrequency),
        ("object|idletime k", ":0\r\n"),
        ("object|refcount k", ":1\r\n"),
        ("persist k", ":0\r\n"),
        ("pexpire k 100000", ":1\r\n"),
        ("pexpireat k 99999999999999", ":1\r\n"),
        ("pexpiretime k", ":-1\r\n"),
        ("psetex k 10000 v", "+OK\r\n"),
        ("pttl k", ":-1\r\n"),
        ("restore k 0 x", "-BUSYKEY Target key name already exists.\r\n"),
        ("rename k d", "+OK\r\n"),
        ("renamenx k d", ":1\r\n"),
        ("set k v", "+OK\r\n"),
        ("set k v keepttl", "+OK\r\n"),
        ("set k v get", WrongType),
        ("set k v nx", "$-1\r\n"),
        ("set k v xx get", WrongType),
        ("setbit k 0 1", WrongType),
        ("setex k 10 v", "+OK\r\n"),
        ("setnx k v", ":0\r\n"),
        ("setrange k 0 v", WrongType),
        ("setrange k 999999999 v", WrongType),
        ("setrange k -1 v", "-ERR offset is out of range\r\n"),
        ("strlen k", WrongType),
        ("substr k 0 1", WrongType),
        ("touch k", ":1\r\n"),
        ("ttl k", ":-1\r\n"),
        ("type k", "+hash\r\n"),
        ("unlink k", ":1\r\n"),
        ("watch k", "+OK\r\n"),
        // Of a string.
        ("hdel s f", WrongType),
        ("hexists s f", WrongType),
        ("hget s f", WrongType),
        ("hgetall s", WrongType),
        ("hincrby s f 1", WrongType),
        ("hincrby s f nonumber", "-ERR value is not an integer or out of range\r\n"),
        ("hincrbyfloat s f 1.5", WrongType),
        ("hincrbyfloat s f nonumber", "-ERR value is not a valid float\r\n"),
        ("hkeys s", WrongType),
        ("hlen s", WrongType),
        ("hmget s f", WrongType),
        ("hmset s f v", WrongType),
        ("hrandfield s", WrongType),
        ("hscan s 0", WrongType),
        ("hset s f v", WrongType),
        ("hexpire s 10 FIELDS 1 f", WrongType),
        ("hpexpire s 10 FIELDS 1 f", WrongType),
        ("hexpireat s 10 FIELDS 1 f", WrongType),
        ("hpexpireat s 10 FIELDS 1 f", WrongType),
        ("hexpire s nonumber FIELDS 1 f", WrongType),
        ("hpersist s FIELDS 1 f", WrongType),
        ("hpersist s WORD 1 f", WrongType),
        ("httl s FIELDS 1 f", WrongType),
        ("httl s FIELDS 0 f", WrongType),
        ("hpttl s FIELDS 1 f", WrongType),
        ("hexpiretime s FIELDS 1 f", WrongType),
        ("hpexpiretime s FIELDS 1 f", WrongType),
        ("hgetdel s FIELDS 1 f", WrongType),
        ("hgetdel s FIELDS 2 f", WrongType),
        ("hgetex s FIELDS 1 f", WrongType),
        ("hgetex s PERSIST FIELDS 1 f", WrongType),
        ("hgetex s EX -1 FIELDS 1 f", WrongType),
        ("hsetex s FIELDS 1 f v", WrongType),
        ("hsetex s EX -1 FIELDS 1 f v", "-ERR invalid expire time, must be >= 0\r\n"),
        ("hset s f v g", "-ERR wrong number of arguments for 'hset' command\r\n"),
        ("hsetnx s f v", WrongType),
        ("hstrlen s f", WrongType),
        ("hvals s", WrongType),
        ("lindex s 0", WrongType),
        ("lindex s x", WrongType),
        ("linsert s before a b", WrongType),
        ("llen s", WrongType),
        ("lmove s d left left", WrongType),
        ("lmpop 1 s left", WrongType),
        ("blmove s d left left 1", WrongType),
        ("blmpop 1 1 s left", WrongType),
        ("blpop absent s 1", WrongType),
        ("brpop s 1", WrongType),
        ("brpoplpush s d 1", WrongType),
        ("lpop s", WrongType),
        ("lpop s 2", WrongType),
        ("lpop s 0", WrongType),
        ("lpos s a", WrongType),
        ("lpos s a count 0", WrongType),
        ("lpush s a", WrongType),
        ("lpushx s a", WrongType),
        ("lrange s 0 -1", WrongType),
        ("lrem s 0 a", WrongType),
        ("lset s 0 a", WrongType),
        ("ltrim s 0 -1", WrongType),
        ("pfadd k a", WrongType),
        ("pfcount k", WrongType),
        ("pfcount s k", "-WRONGTYPE Key is not a valid HyperLogLog string value.\r\n"),
        ("pfdebug encoding k", WrongType),
        ("pfmerge d k", WrongType),
        ("pfmerge k absent", WrongType),
        ("rpop k", WrongType),
        ("rpoplpush k d", WrongType),
        ("rpush k a", WrongType),
        ("rpushx k a", WrongType),
        ("sort k", WrongType),
        ("sort s", WrongType),
        ("sort_ro k", WrongType),
        ("sort absent store k", ":0\r\n"),
        // Of a hash, by the commands of sets.
        ("sadd k m", WrongType),
        ("scard k", WrongType),
        ("sdiff k absent", WrongType),
        ("sdiffstore absent k absent", WrongType),
        ("sdiffstore k absent absent", ":0\r\n"),
        ("sinter absent k", WrongType),
        ("sintercard 2 absent k", WrongType),
        ("sinterstore absent k absent", WrongType),
        ("sismember k m", WrongType),
        ("smembers k", WrongType),
        ("smismember k m", WrongType),
        ("smove k absent m", WrongType),
        ("smove absent k m", ":0\r\n"),
        ("spop k", WrongType),
        ("spop k 0", WrongType),
        ("srandmember k", WrongType),
        ("srandmember k -1", WrongType),
        ("srem k m", WrongType),
        ("sscan k 0", WrongType),
        ("sunion absent k", WrongType),
        ("sunionstore absent k", WrongType),
        // Of a hash, by the commands of sorted sets.
        ("zadd k 1 m", WrongType),
        ("zcard k", WrongType),
        ("zcount k 0 1", WrongType),
        ("zdiff 2 absent k", WrongType),
        ("zdiffstore absent 1 k", WrongType),
        ("zincrby k 1 m", WrongType),
        ("zinter 2 absent k", WrongType),
        ("zintercard 2 absent k", WrongType),
        ("zinterstore absent 1 k", WrongType),
        ("zlexcount k - +", WrongType),
        ("bzmpop 1 2 absent k min", WrongType),
        ("bzpopmax k 1", WrongType),
        ("bzpopmin absent k 1", WrongType),
        ("zmpop 2 absent k min", WrongType),
        ("zmscore k m", WrongType),
        ("zpopmax k", WrongType),
        ("zpopmin k 2", WrongType),
        ("zrandmember k", WrongType),
        ("zrandmember k -1", WrongType),
        ("zrange k 0 -1", WrongType),
        ("zrangebylex k - +", WrongType),
        ("zrangebyscore k 0 1", WrongType),
        ("zrangestore absent k 0 -1", WrongType),
        ("zrank k m", WrongType),
        ("zrem k m", WrongType),
        ("zremrangebylex k - +", WrongType),
        ("zremrangebyrank k 0 1", WrongType),
        ("zremrangebyscore k 0 1", WrongType),
        ("zrevrange k 0 -1", WrongType),
        ("zrevrangebylex k + -", WrongType),
        ("zrevrangebyscore k 1 0", WrongType),
        ("zrevrank k m", WrongType),
        ("zscan k 0", WrongType),
        ("zscore k m", WrongType),
        ("zunion 1 k", WrongType),
        ("zunionstore absent 1 k", WrongType),
        // Of a hash, by the commands of points.
        ("geoadd k 1 1 m", WrongType),
        ("geodist k a b", WrongType),
        ("geohash k a", WrongType),
        ("geopos k a", WrongType),
        ("georadius k 1 1 1 m", WrongType),
        ("georadius_ro k 1 1 1 m", WrongType),
        ("georadiusbymember k m 1 m", WrongType),
        ("georadiusbymember_ro k m 1 m", WrongType),
        ("geosearch k frommember m byradius 1 m", WrongType),
        ("geosearchstore d k frommember m byradius 1 m", WrongType),
        // Of a hash, by the commands of streams.
        ("xack k g 0-1", WrongType),
        ("xadd k * a b", WrongType),
        ("xautoclaim k g c 0 0", WrongType),
        ("xclaim k g c 0 0-1", WrongType),
        ("xgroup|create k g 0", WrongType),
        ("xgroup|createconsumer k g c", WrongType),
        ("xgroup|delconsumer k g c", WrongType),
        ("xgroup|destroy k g", WrongType),
        ("xgroup|setid k g 0", WrongType),
        ("xinfo|consumers k g", WrongType),
        ("xinfo|groups k", WrongType),
        ("xinfo|stream k", WrongType),
        ("xpending k g", WrongType),
        ("xreadgroup group g c streams k >", WrongType),
        ("xdel k 1", WrongType),
        ("xlen k", WrongType),
        ("xrange k - +", WrongType),
        ("xrevrange k + -", WrongType),
        ("xread streams k 0", WrongType),
        ("xsetid k 1", WrongType),
        ("xtrim k maxlen 1", WrongType),
        // Of no key.
        ("keys k", "*1\r\n$1\r\nk\r\n"),
        ("scan 0 type hash", "*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk\r\n"),
        ("scan 0 type HASH", "*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk\r\n"),
        ("scan 0 type string", "*2\r\n$1\r\n0\r\n*1\r\n$1\r\ns\r\n"),
        ("scan 0 type list", "*2\r\n$1\r\n0\r\n*0\r\n"),
        ("scan 0 type none", "*2\r\n$1\r\n0\r\n*0\r\n"),
        ("scan 0 type noword", "*2\r\n$1\r\n0\r\n*0\r\n"),
    ];

    public static TheoryData<string, string> Rows
    {
        get
        {
            var data = new TheoryData<string, string>();
            foreach (var (line, reply) in _rows)
                data.Add(line, reply);
            return data;
        }
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public void Command_OfAKeyThatIsAHash_RepliesAsRedis(string line, string reply)
    {
        Client.Run("SET s v");
        Client.Run("HSET k f v");

        Assert.Equal(reply, Client.Run(line.Replace('|', ' ')));

        if (reply == WrongType || reply == NoStrings)
            Assert.Equal("+hash\r\n", Client.Run("TYPE k"));
    }

    [Fact]
    public void Commands_WithKeys_AreAllAmongThese()
    {
        string[] named = [.. _rows.Select(row => row.Line.Split(' ')[0])];
        // Channels of shards have the specifications of keys, and are none. Scripts use keys by other commands alone.
        var withKeys = CommandTable.Default.All.Where(
            command => command.KeySpecifications.Length > 0 && !command.Categories.Contains("@pubsub")
                && !command.RunsScript);

        Assert.All(withKeys, command => Assert.Contains(command.Name, named));
    }

    [Theory]
    [InlineData(EntryKind.String, "string", "int")]
    [InlineData(EntryKind.Hash, "hash", "listpack")]
    [InlineData(EntryKind.List, "list", "quicklist")]
    [InlineData(EntryKind.Set, "set", "intset")]
    [InlineData(EntryKind.SortedSet, "zset", "listpack")]
    [InlineData(EntryKind.Stream, "stream", "stream")]
    public void Type_OfEachKind_IsRedisWord(EntryKind kind, string type, string encoding)
    {
        Client.Run("SET k 10000");
        Server.Store.SetKind("k"u8, kind);

        Assert.Equal($"+{type}\r\n", Client.Run("TYPE k"));
        Assert.Equal($"${encoding.Length}\r\n{encoding}\r\n", Client.Run("OBJECT ENCODING k"));
        Assert.Equal("*2\r\n$1\r\n0\r\n*1\r\n$1\r\nk\r\n", Client.Run($"SCAN 0 TYPE {type}"));
        Assert.Equal("+none\r\n", Client.Run("TYPE absent"));
    }

    // A copy and what was moved are what they were.
    [Theory]
    [InlineData("COPY k d", 0)]
    [InlineData("RENAME k d", 0)]
    [InlineData("COPY k d DB 1", 1)]
    public void Copy_OfAKeyThatIsAHash_IsOne(string line, int database)
    {
        Client.Run("SET k v");
        Server.Store.SetKind("k"u8, EntryKind.Hash);

        Client.Run(line);
        Client.Run($"SELECT {database}");

        Assert.Equal("+hash\r\n", Client.Run("TYPE d"));
        Assert.Equal(WrongType, Client.Run("GET d"));
    }

    [Fact]
    public void Scan_OfAType_LooksAtNoMoreKeysThanOfAll()
    {
        for (int i = 0; i < 5_000; i++)
            Client.Run($"SET key:{i} v");

        string all = Client.Run("SCAN 0 COUNT 10");
        string some = Client.Run("SCAN 0 COUNT 10 TYPE hash");

        Assert.Equal(all.Split("\r\n")[2], some.Split("\r\n")[2]);
    }

    [Fact]
    public void WrongType_IsCountedAsAnErrorOfItsOwn()
    {
        Client.Run("SET k v");
        Server.Store.SetKind("k"u8, EntryKind.Hash);

        Client.Run("GET k");
        Client.Run("INCR k");

        Assert.Contains("errorstat_WRONGTYPE:count=2\r\n", Client.Run("INFO errorstats"));
    }
}
