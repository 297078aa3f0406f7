using Cache.Testing;

namespace Cache.Server.Tests.Commands;

/// <summary>Each command replies to a compressed value, and leaves, what it does of a plain one.</summary>
public sealed class CompressedValueTests : CommandTestBase
{
    // The key is k; s is another string, as long and compressed too; d is absent.
    private static readonly string[] _lines =
    [
        "append k tail", "bitcount k", "bitcount k 3 20", "bitcount k 3 20 bit", "bitfield k get u8 16",
        "bitfield k set u8 16 65 incrby u4 100 3", "bitfield k set u8 9000 1", "bitfield_ro k get i5 77",
        "bitop and d k s", "bitop not k s", "bitop xor k k s", "bitpos k 0", "bitpos k 1 5 -1", "copy k d",
        "copy k s replace", "copy k d db 1", "decr k", "decrby k 5", "del k", "dump k", "restore k 0 x", "exists k s d",
        "expire k 100",
        "expire k -1", "expireat k 99999999999", "expiretime k", "get k", "getbit k 9", "getbit k 99999", "getdel k",
        "getex k", "getex k ex 10", "getex k ex -10", "getex k persist", "getrange k 0 -1", "getrange k 4 9",
        "getrange k -6 -2", "getrange k 900 901", "getset k v", "incr k", "incrby k 7", "incrbyfloat k 1.5",
        "lcs k s", "lcs k s len", "lcs k s idx", "mget k d s k", "move k 1", "mset k v d w", "msetnx k v d w",
        "object encoding k", "object freq k", "object idletime k", "object refcount k", "persist k", "pexpire k 5000",
        "psetex k 5000 v", "pttl k", "randomkey", "rename k d", "rename k s", "rename s k", "renamenx k d",
        "renamenx k s", "scan 0 type string", "set k v", "set k v keepttl", "set k v nx", "set k v xx", "set k v get",
        "set k v xx get keepttl", "setbit k 9 1", "setbit k 9999 1", "setex k 100 v", "setnx k v", "setrange k 0 new",
        "setrange k 20 new", "setrange k 900 new", "strlen k", "substr k 2 8", "touch k d", "ttl k",
        "type k", "unlink k",
    ];

    public static TheoryData<string> Lines => [.. _lines];

    [Theory]
    [MemberData(nameof(Lines))]
    public void Command_OnACompressedValue_RepliesAsOnAPlainOne(string line) =>
        Assert.Equal(Run(line, isCompressed: false), Run(line, isCompressed: true));

    [Theory]
    [MemberData(nameof(Lines))]
    public void Command_OnACompressedValueInATransaction_RepliesAsOnAPlainOne(string line) =>
        Assert.Equal(Run(line, isCompressed: false, isQueued: true), Run(line, isCompressed: true, isQueued: true));

    private string Run(string line, bool isCompressed, bool isQueued = false)
    {
        Client.Run("SELECT 0");
        Client.Run("FLUSHALL");
        Client.Run($"SET k {string.Concat(Enumerable.Repeat("some value ", 20)).Trim().Replace(' ', '-')} EX 3000");
        Client.Run($"SET s {new string('7', 300)}");
        if (isCompressed)
        {
            Server.Store.Compress("k"u8);
            Server.Store.Compress("s"u8);
        }

        if (isQueued)
            Client.Run("MULTI");
        string replies = Client.Run(line);
        if (isQueued)
            replies += Client.Run("EXEC");
        if (line == "randomkey")
            replies = "either";
        foreach (string database in new[] { "0", "1" })
        {
            Client.Run($"SELECT {database}");
            foreach (string key in new[] { "k", "s", "d" })
                replies += Client.Run($"STRLEN {key}") + Client.Run($"GET {key}") + Client.Run($"EXPIRETIME {key}");
        }

        return replies;
    }
}
