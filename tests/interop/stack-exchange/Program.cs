// usage: StackExchange PORT 2|3 (the version of RESP), or StackExchange cluster PORT...
using System.Text;
using StackExchange.Redis;
using static Checks;

if (args[0] == "cluster")
    return await ClusterChecks.RunAsync(args[1..]);
var checks = new Checks();
var configuration = new ConfigurationOptions
{
    EndPoints = { { "127.0.0.1", int.Parse(args[0]) } },
    ClientName = "interop",
    AllowAdmin = true,
    Protocol = args[1] == "3" ? RedisProtocol.Resp3 : RedisProtocol.Resp2,
};
using var multiplexer = await ConnectionMultiplexer.ConnectAsync(configuration);
var database = multiplexer.GetDatabase();
var server = multiplexer.GetServer(multiplexer.GetEndPoints()[0]);

RedisKey[] stale = [.. server.Keys(pattern: "se:*", pageSize: 500)];
await database.KeyDeleteAsync(stale);

await checks.CheckAsync("connected", () =>
{
    Equal(true, multiplexer.IsConnected);
    Equal(new Version(7, 0, 15), server.Version);
    return Task.CompletedTask;
});
await checks.CheckAsync("ping", async () => Equal(true, await database.PingAsync() < TimeSpan.FromSeconds(5)));
await checks.CheckAsync("set and get", async () =>
{
    Equal(true, await database.StringSetAsync("se:k", "v"));
    Equal("v", (string?)await database.StringGetAsync("se:k"));
    Equal(true, (await database.StringGetAsync("se:absent")).IsNull);
});
await checks.CheckAsync("binary", async () =>
{
    byte[] bytes = [.. Enumerable.Range(0, 256).Select(i => (byte)i)];
    await database.StringSetAsync(bytes, bytes);
    Equal(Convert.ToHexString(bytes), Convert.ToHexString((byte[]?)await database.StringGetAsync(bytes) ?? []));
});
await checks.CheckAsync("large value", async () =>
{
    string large = new('x', 5 << 20);
    await database.StringSetAsync("se:large", large);
    Equal(large.Length, (int)await database.StringLengthAsync("se:large"));
    Equal(true, large == await database.StringGetAsync("se:large"));
});
await checks.CheckAsync("conditions and expiry", async () =>
{
    Equal(true, await database.StringSetAsync("se:o", "v", TimeSpan.FromSeconds(100), When.NotExists));
    Equal(false, await database.StringSetAsync("se:o", "w", null, When.NotExists));
    var value = await database.StringGetWithExpiryAsync("se:o");
    Equal("v", (string?)value.Value);
    Equal(true, value.Expiry > TimeSpan.FromSeconds(95));
    Equal(true, await database.KeyPersistAsync("se:o"));
    Equal(true, await database.KeyTimeToLiveAsync("se:o") is null);
});
await checks.CheckAsync("transaction with conditions", async () =>
{
    await database.KeyDeleteAsync(["se:t", "se:u"]);
    var first = database.CreateTransaction();
    first.AddCondition(Condition.KeyNotExists("se:t"));
    _ = first.StringSetAsync("se:t", "1");
    var sum = first.StringIncrementAsync("se:t");
    Equal(true, await first.ExecuteAsync());
    Equal(2L, await sum);
    var second = database.CreateTransaction();
    second.AddCondition(Condition.StringEqual("se:t", "1"));
    _ = second.StringSetAsync("se:u", "1");
    Equal(false, await second.ExecuteAsync());
    Equal(false, await database.KeyExistsAsync("se:u"));
});
await checks.CheckAsync("locks", async () =>
{
    await database.KeyDeleteAsync("se:lock");
    Equal(true, await database.LockTakeAsync("se:lock", "me", TimeSpan.FromSeconds(30)));
    Equal(false, await database.LockTakeAsync("se:lock", "you", TimeSpan.FromSeconds(30)));
    Equal(true, await database.LockExtendAsync("se:lock", "me", TimeSpan.FromSeconds(60)));
    Equal(false, await database.LockReleaseAsync("se:lock", "you"));
    Equal(true, await database.LockReleaseAsync("se:lock", "me"));
});
await checks.CheckAsync("many keys", async () =>
{
    await database.StringSetAsync([new("se:a", 1), new("se:b", 2)]);
    Equal("1,2,", string.Join(',', await database.StringGetAsync(["se:a", "se:b", "se:c"])));
    Equal(2L, await database.KeyDeleteAsync(["se:a", "se:b", "se:c"]));
});
// As the distributed cache of ASP.NET does from its version 8.0 on: the fields and the expiry in one batch, then all
// three fields; a sliding entry's expiry is renewed.
await checks.CheckAsync("layout of AddStackExchangeRedisCache", async () =>
{
    byte[] data = [.. Enumerable.Range(0, 256).Select(i => (byte)i)];
    RedisValue[] metadata = ["absexp", "sldexp"];
    RedisValue[] all = ["absexp", "sldexp", "data"];
    long sliding = TimeSpan.FromMinutes(20).Ticks;
    var batch = database.CreateBatch();
    var set = batch.HashSetAsync("se:cache", [new("absexp", -1L), new("sldexp", sliding), new("data", data)]);
    var expire = batch.KeyExpireAsync("se:cache", TimeSpan.FromMinutes(20));
    batch.Execute();
    await Task.WhenAll(set, expire);
    Equal(true, expire.Result);
    var fields = await database.HashGetAsync("se:cache", all);
    Equal((-1L, sliding), ((long)fields[0], (long)fields[1]));
    Equal(Convert.ToHexString(data), Convert.ToHexString((byte[]?)fields[2] ?? []));
    Equal(2, (await database.HashGetAsync("se:cache", metadata)).Length);
    Equal(true, await database.KeyExpireAsync("se:cache", TimeSpan.FromMinutes(10)));
    Equal(true, await database.KeyTimeToLiveAsync("se:cache") <= TimeSpan.FromMinutes(10));
    await database.HashSetAsync("se:cache", [new("absexp", -1L), new("sldexp", -1L), new("data", "")]);
    Equal(0, ((byte[]?)(await database.HashGetAsync("se:cache", all))[2])?.Length);
    Equal(true, await database.KeyDeleteAsync("se:cache"));
    Equal(true, (await database.HashGetAsync("se:cache", all)).All(field => field.IsNull));
});
// Beyond what a record and a page can have.
foreach (int length in new[] { 1_300, 4_096, 100_000, 1 << 20 })
{
    await checks.CheckAsync($"layout of AddStackExchangeRedisCache with a value of {length} bytes", async () =>
    {
        byte[] data = [.. Enumerable.Range(0, length).Select(i => (byte)(i * 7 + i / 256))];
        RedisValue[] all = ["absexp", "sldexp", "data"];
        for (int round = 0; round < 2; round++)
        {
            data[0] = (byte)round;
            await database.HashSetAsync("se:long", [new("absexp", -1L), new("sldexp", -1L), new("data", data)]);
            Equal(true, await database.KeyExpireAsync("se:long", TimeSpan.FromMinutes(20)));
            var fields = await database.HashGetAsync("se:long", all);
            Equal(-1L, (long)fields[0]);
            Equal(true, data.AsSpan().SequenceEqual((byte[]?)fields[2]));
            Equal((long)length, (long)await database.ExecuteAsync("HSTRLEN", "se:long", "data"));
        }

        Equal(true, await database.KeyDeleteAsync("se:long"));
    });
}

// As Data Protection keeps its keys.
await checks.CheckAsync("lists", async () =>
{
    Equal(2L, await database.ListRightPushAsync("se:list", ["a", "b"]));
    Equal(3L, await database.ListLeftPushAsync("se:list", "c"));
    Equal("c,a,b", string.Join(',', await database.ListRangeAsync("se:list")));
    Equal("b", (string?)await database.ListRightPopLeftPushAsync("se:list", "se:other"));
    Equal("c", (string?)await database.ListLeftPopAsync("se:list"));
    Equal(1L, await database.ListRemoveAsync("se:list", "a"));
    Equal(false, await database.KeyExistsAsync("se:list"));
    Equal("b", (string?)await database.ListGetByIndexAsync("se:other", -1));
    await database.ListRightPushAsync("se:numbers", ["10", "1", "2"]);
    Equal("1,2,10", string.Join(',', await database.SortAsync("se:numbers")));
    await database.KeyDeleteAsync(["se:other", "se:numbers"]);
});
await checks.CheckAsync("HyperLogLogs", async () =>
{
    Equal(true, await database.HyperLogLogAddAsync("se:hll", ["a", "b", "c"]));
    Equal(false, await database.HyperLogLogAddAsync("se:hll", "a"));
    Equal(3L, await database.HyperLogLogLengthAsync("se:hll"));
    await database.HyperLogLogMergeAsync("se:both", "se:hll", "se:none");
    Equal(3L, await database.HyperLogLogLengthAsync("se:both"));
    await database.KeyDeleteAsync(["se:hll", "se:both"]);
});
await checks.CheckAsync("numbers and parts", async () =>
{
    Equal(42L, await database.StringIncrementAsync("se:n", 42));
    Equal(0.5, await database.StringIncrementAsync("se:f", 0.5));
    Equal(5L, await database.StringAppendAsync("se:s", "Hello"));
    Equal("ell", (string?)await database.StringGetRangeAsync("se:s", 1, 3));
});
await checks.CheckAsync("ten thousand at once", async () =>
{
    var sets = Enumerable.Range(0, 10_000).Select(i => database.StringSetAsync($"se:p{i}", i));
    Equal(true, (await Task.WhenAll(sets)).All(done => done));
    var gets = Enumerable.Range(0, 10_000).Select(i => database.StringGetAsync($"se:p{i}"));
    Equal(true, (await Task.WhenAll(gets)).Select((value, i) => value == i).All(same => same));
});
await checks.CheckAsync("scan", () =>
{
    Equal(10_000, server.Keys(pattern: "se:p*", pageSize: 500).Distinct().Count());
    return Task.CompletedTask;
});
await checks.CheckAsync("databases", async () =>
{
    var other = multiplexer.GetDatabase(6);
    await other.StringSetAsync("se:db", 6);
    Equal(false, await database.KeyExistsAsync("se:db"));
    Equal(1L, await server.DatabaseSizeAsync(6));
    await server.FlushDatabaseAsync(6);
    Equal(0L, await server.DatabaseSizeAsync(6));
});
await checks.CheckAsync("errors", async () =>
{
    await database.StringSetAsync("se:text", "abc");
    try
    {
        await database.StringIncrementAsync("se:text");
        throw new InvalidOperationException("no error");
    }
    catch (RedisServerException e)
    {
        Equal("ERR value is not an integer or out of range", e.Message);
    }
});
await checks.CheckAsync("introspection", async () =>
{
    Equal(true, (await server.ClientListAsync()).Any(client => client.Name == "interop"));
    Equal("16", (await server.ConfigGetAsync("databases")).Single().Value);
    Equal(true, (await server.InfoAsync("server")).Length > 0);
    Equal(true, Math.Abs((await server.TimeAsync() - DateTime.UtcNow).TotalMinutes) < 1);
});
await checks.CheckAsync("rename", async () =>
{
    await database.StringSetAsync("se:r", Encoding.UTF8.GetBytes("v"));
    Equal(true, await database.KeyRenameAsync("se:r", "se:s"));
    Equal(RedisType.String, await database.KeyTypeAsync("se:s"));
});

// As SignalR's backplane does with two servers: channels of all, of groups, of connections, of what one server asks of
// the others, and of their answers; each message goes to all servers, the sender too.
await checks.CheckAsync("backplane of SignalR", async () =>
{
    const string Hub = "Chat.ChatHub";
    using var second = await ConnectionMultiplexer.ConnectAsync(configuration);
    var got = new System.Collections.Concurrent.ConcurrentQueue<string>();
    var subscribers = new[] { multiplexer.GetSubscriber(), second.GetSubscriber() };
    for (int i = 0; i < subscribers.Length; i++)
    {
        int at = i;
        foreach (string channel in (string[])["all", "internal:groups", $"internal:ack:server{at}", "group:room 1"])
        {
            await subscribers[at].SubscribeAsync(
                Channel(channel),
                (from, value) => got.Enqueue($"{at} {from} {Convert.ToHexString((byte[]?)value ?? [])}"));
        }
    }

    byte[] payload = [0x93, 0xC0, 0x81, 0xA4, 0x6A, 0x73, 0x6F, 0x6E, 0xC4, 0x00, 0xFF, 0x0D, 0x0A];
    Equal(2L, await subscribers[0].PublishAsync(Channel("all"), payload));
    Equal(2L, await subscribers[1].PublishAsync(Channel("group:room 1"), payload));
    Equal(1L, await subscribers[1].PublishAsync(Channel("internal:ack:server0"), "1"));
    Equal(0L, await subscribers[1].PublishAsync(Channel("connection:gone"), payload));
    await UntilTrueAsync(() => Task.FromResult(got.Count == 5));
    string hex = Convert.ToHexString(payload);
    string[] expected =
    [
        $"0 {Hub}:all {hex}", $"0 {Hub}:group:room 1 {hex}", $"0 {Hub}:internal:ack:server0 31",
        $"1 {Hub}:all {hex}", $"1 {Hub}:group:room 1 {hex}",
    ];
    Equal(string.Join('|', expected), string.Join('|', got.Order(StringComparer.Ordinal)));
    await subscribers[1].UnsubscribeAsync(Channel("group:room 1"));
    await UntilTrueAsync(async () => await subscribers[0].PublishAsync(Channel("group:room 1"), payload) == 1);
    await subscribers[0].UnsubscribeAllAsync();

    static RedisChannel Channel(string name) => RedisChannel.Literal($"{Hub}:{name}");
});
await checks.CheckAsync("patterns and events of keys", async () =>
{
    await server.ConfigSetAsync("notify-keyspace-events", "KEA");
    var got = new System.Collections.Concurrent.ConcurrentQueue<string>();
    var subscriber = multiplexer.GetSubscriber();
    await subscriber.SubscribeAsync(
        RedisChannel.Pattern("__keyspace@0__:se:event*"), (channel, value) => got.Enqueue($"{channel} {value}"));
    await database.StringSetAsync("se:event", "v", TimeSpan.FromSeconds(100));
    await database.KeyDeleteAsync("se:event");
    await UntilTrueAsync(() => Task.FromResult(got.Count == 3));
    string[] expected =
        ["__keyspace@0__:se:event set", "__keyspace@0__:se:event expire", "__keyspace@0__:se:event del"];
    Equal(
        string.Join('|', expected.Order(StringComparer.Ordinal)), string.Join('|', got.Order(StringComparer.Ordinal)));
    await server.ConfigSetAsync("notify-keyspace-events", "");
    await subscriber.UnsubscribeAllAsync();
});

await checks.CheckAsync("AddStackExchangeRedisCache", () => PackageChecks.CacheAsync(configuration));
await checks.CheckAsync("AddStackExchangeRedisOutputCache", () => PackageChecks.OutputCacheAsync(configuration));
await checks.CheckAsync("PersistKeysToStackExchangeRedis", () => PackageChecks.DataProtectionAsync(configuration));
return checks.Finish();
