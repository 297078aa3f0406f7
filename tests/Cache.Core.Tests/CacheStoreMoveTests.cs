using System.Text;

namespace Cache.Core.Tests;

/// <summary>A key moves to another keyspace at one moment.</summary>
public sealed class CacheStoreMoveTests : IDisposable
{
    private const int Threads = 4;
    private const int Moves = 3_000;

    private readonly StoreFixture _fixture = new(static options => options.MemoryLimitBytes = 64 << 20);
    private readonly CacheStore _one;

    public CacheStoreMoveTests() => _one = Store.SelectKeyspace(1);

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [InlineData(5)]
    [InlineData(1 << 20)]
    public void Move_Entry_TakesValueAndExpiryAlong(int length)
    {
        byte[] value = new byte[length];
        value.AsSpan().Fill(7);
        Store.Set("k"u8, value, new EntryOptions { ExpiresAtMs = _fixture.NowMs + 1000 });

        Assert.Equal(WriteStatus.Done, Store.Move("k"u8, _one));

        Assert.False(Store.Contains("k"u8));
        Assert.Equal(value, _one.GetArray("k"u8));
        Assert.True(_one.TryPeekInfo("k"u8, out var info));
        Assert.Equal(_fixture.NowMs + 1000, info.ExpiresAtMs);
        Assert.Equal((0, 1), (Store.Count, _one.Count));
        Store.AssertValid();
    }

    [Fact]
    public void Move_KeyThatExistsThere_ChangesNothing()
    {
        Store.Set("k"u8, "here"u8);
        _one.Set("k"u8, "there"u8);

        Assert.Equal(WriteStatus.ConditionNotMet, Store.Move("k"u8, _one));

        Assert.Equal("here"u8, Store.GetArray("k"u8)!);
        Assert.Equal("there"u8, _one.GetArray("k"u8)!);
    }

    [Fact]
    public void Move_AbsentKey_ReportsNotFound() => Assert.Equal(WriteStatus.NotFound, Store.Move("k"u8, _one));

    [Fact]
    public void Move_ToWhereItIs_ChangesNothing()
    {
        Store.Set("k"u8, "v"u8);

        Assert.Equal(WriteStatus.ConditionNotMet, Store.Move("k"u8, Store));
        Assert.Equal("v"u8, Store.GetArray("k"u8)!);
    }

    [Fact]
    public void Move_ToAnotherStore_Throws()
    {
        using var other = new StoreFixture(static _ => { });

        Assert.Throws<ArgumentException>(() => Store.Move("k"u8, other.Store));
    }

    // One counter, moved to and fro by some threads and counted up by the others wherever it is: it never starts over.
    [Fact]
    public void Move_WhileOthersWrite_NeitherLosesNorDoubles()
    {
        Store.Set("n"u8, "0"u8);
        long added = 0;
        int moved = 0;
        RunThreads(index =>
        {
            var from = index % 2 == 0 ? Store : _one;
            var to = index % 2 == 0 ? _one : Store;
            for (int n = 0; n < Moves; n++)
            {
                if (index < 2)
                    Interlocked.Add(ref moved, from.Move("n"u8, to) == WriteStatus.Done ? 1 : 0);
                else if (TryIncrement(from))
                    Interlocked.Increment(ref added);
            }
        });

        byte[]?[] values = [Store.GetArray("n"u8), _one.GetArray("n"u8)];
        Assert.Equal(added.ToString(), Encoding.ASCII.GetString(Assert.Single(values, value => value is not null)!));
        Assert.Equal(1, Store.Count + _one.Count);
        Assert.True(moved > 0, "Nothing was moved.");
        Store.AssertValid();
    }

    // Only where it is, and only if it is what was read there: as a client would that watches it.
    private static bool TryIncrement(CacheStore keyspace)
    {
        var sink = default(ArraySink);
        if (!keyspace.TryGet("n"u8, ref sink, out var info))
            return false;
        byte[] next = Encoding.ASCII.GetBytes((long.Parse(sink.Array!) + 1).ToString());
        return keyspace.SetIfUnchanged("n"u8, next, default, info.Version) == WriteStatus.Done;
    }

    private static void RunThreads(Action<int> body)
    {
        var threads = Enumerable.Range(0, Threads).Select(i => new Thread(() => body(i))).ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
    }
}
