using System.Buffers;
using Cache.Core.Distributed;
using Cache.Core.Tests.Hybrid;
using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests;

/// <summary>What the doors of the framework say of a key whose value is no string, and what becomes of it.</summary>
public sealed class DoorsOfOtherKindTests : IDisposable
{
    private static readonly byte[] _key = "k"u8.ToArray();

    // What it says, and of which kind the key is then.
    private static readonly Dictionary<string, Row> _distributed = new()
    {
        ["Get"] = new(static c => Say(c.Get("k") is null), "True", EntryKind.Hash),
        ["GetAsync"] = new(static async c => Text(await c.GetAsync("k", Token) is null), "True", EntryKind.Hash),
        ["TryGet"] = new(static c => Say(c.TryGet("k", new ArrayBufferWriter<byte>())), "False", EntryKind.Hash),
        ["TryGetAsync"] = new(
            static async c => Text(await c.TryGetAsync("k", new ArrayBufferWriter<byte>(), Token)), "False",
            EntryKind.Hash),
        ["Refresh"] = new(static c => Say(() => c.Refresh("k")), "", EntryKind.Hash),
        ["RefreshAsync"] = new(static async c => await Say(c.RefreshAsync("k", Token)), "", EntryKind.Hash),
        ["Set"] = new(static c => Say(() => c.Set("k", [1], new())), "", EntryKind.String),
        ["Set of a sequence"] = new(
            static c => Say(() => c.Set("k", new ReadOnlySequence<byte>([1]), new())), "", EntryKind.String),
        ["SetAsync"] = new(static async c => await Say(c.SetAsync("k", [1], new(), Token)), "", EntryKind.String),
        ["SetAsync of a sequence"] = new(
            static async c => await Say(c.SetAsync("k", new ReadOnlySequence<byte>([1]), new(), Token).AsTask()), "",
            EntryKind.String),
        ["Remove"] = new(static c => Say(() => c.Remove("k")), "", EntryKind.None),
        ["RemoveAsync"] = new(static async c => await Say(c.RemoveAsync("k", Token)), "", EntryKind.None),
    };

    private readonly HybridFixture _fixture = new();

    public DoorsOfOtherKindTests()
    {
        _fixture.Store.Set(_key, "\"v\""u8);
        _fixture.Store.SetKind(_key, EntryKind.Hash);
    }

    public static TheoryData<string> Members => [.. _distributed.Keys];

    private static CancellationToken Token => HybridFixture.Token;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [MemberData(nameof(Members))]
    public async Task DistributedCache_KeyThatIsNoString_IsAMissThatMayBeWritten(string name)
    {
        var row = _distributed[name];

        Assert.Equal(row.Says, await row.Run(new DistributedStore(_fixture.Store)));

        Assert.Equal(row.Kind, _fixture.Store.KindOf(_key));
    }

    [Fact]
    public void DistributedCache_Members_AreAllAmongThese()
    {
        string[] named = [.. _distributed.Keys.Select(name => name.Split(' ')[0])];
        var methods = typeof(IDistributedCache).GetMethods().Concat(typeof(IBufferDistributedCache).GetMethods());

        foreach (var group in methods.GroupBy(method => method.Name))
            Assert.Equal(group.Count(), named.Count(name => name == group.Key));
    }

    [Fact]
    public async Task GetOrCreate_KeyThatIsNoString_RunsTheFactoryOnceAndKeepsItsValue()
    {
        Assert.Equal("made", await _fixture.Get("k", "made"));

        Assert.Equal("made", await _fixture.GetPresent<string>("k"));
        Assert.Equal(EntryKind.String, _fixture.Store.KindOf(_key));
    }

    [Fact]
    public async Task GetOrCreate_KeyThatBecameNoStringMeanwhile_LeavesItAsItIs()
    {
        _fixture.Store.Remove(_key);

        string made = await _fixture.Cache.GetOrCreateAsync("k", _ => Make(), cancellationToken: Token);

        Assert.Equal("made", made);
        Assert.Equal(EntryKind.List, _fixture.Store.KindOf(_key));

        ValueTask<string> Make()
        {
            _fixture.Store.Set(_key, "v"u8);
            _fixture.Store.SetKind(_key, EntryKind.List);
            return ValueTask.FromResult("made");
        }
    }

    // Of what is no string only the version is known: it may be another one of the same kind.
    [Fact]
    public async Task GetOrCreate_KeyThatIsAnotherOneOfItsKindMeanwhile_LeavesItAsItIs()
    {
        string made = await _fixture.Cache.GetOrCreateAsync("k", _ => Make(), cancellationToken: Token);

        Assert.Equal("made", made);
        Assert.Equal(EntryKind.Hash, _fixture.Store.KindOf(_key));

        ValueTask<string> Make()
        {
            _fixture.Store.SetKind(_key, EntryKind.Hash);
            return ValueTask.FromResult("made");
        }
    }

    [Fact]
    public async Task GetOrCreate_StringThatExpiredAndIsAnotherKindMeanwhile_LeavesItAsItIs()
    {
        _fixture.Store.Set(_key, "\"v\""u8, new EntryOptions { ExpiresAtMs = _fixture.Store.NowMs + 10 });

        int made = await _fixture.Cache.GetOrCreateAsync("k", _ => Make(), cancellationToken: Token);

        Assert.Equal(1, made);
        Assert.Equal(EntryKind.List, _fixture.Store.KindOf(_key));

        ValueTask<int> Make()
        {
            _fixture.Time.Advance(20);
            _fixture.Store.Set(_key, "v"u8);
            _fixture.Store.SetKind(_key, EntryKind.List);
            return ValueTask.FromResult(1);
        }
    }

    [Fact]
    public async Task SetAsync_KeyThatIsNoString_IsTheValue()
    {
        await _fixture.Cache.SetAsync("k", "set", cancellationToken: Token);

        Assert.Equal("set", await _fixture.GetPresent<string>("k"));
    }

    [Fact]
    public async Task RemoveAsync_KeyThatIsNoString_IsGone()
    {
        await _fixture.Cache.RemoveAsync("k", Token);

        Assert.Equal(EntryKind.None, _fixture.Store.KindOf(_key));
    }

    // Also one that is ready as an object.
    [Fact]
    public async Task GetOrCreate_ReadyObjectWhoseKeyIsNoStringNow_IsNotServed()
    {
        await _fixture.Get("r", "ready");
        await _fixture.GetPresent<string>("r");
        _fixture.Store.SetKind("r"u8, EntryKind.Hash);

        Assert.Equal("again", await _fixture.Get("r", "again"));
    }

    private static string Text(bool value) => value ? "True" : "False";

    private static Task<string> Say(bool value) => Task.FromResult(Text(value));

    private static Task<string> Say(Action action)
    {
        action();
        return Task.FromResult("");
    }

    private static async Task<string> Say(Task task)
    {
        await task;
        return "";
    }

    private sealed record Row(Func<IBufferDistributedCache, Task<string>> Run, string Says, EntryKind Kind);
}
