using Cache.Core.Hashing;
using Cache.Testing;

namespace Cache.Core.Tests.Collections;

/// <summary>Slabs of which little is used are emptied by the sweep, and nobody notices.</summary>
public sealed class SlabMovingTests : IDisposable
{
    private const int Fields = 8_000;
    private const int Keys = 4;

    // Each of the eight lengths of pages has a slab that is used in part; more counts here than in a large store.
    private const double UsedShareMin = 0.75;

    // Each moves some thousand pages.
    private const int SweepsMax = 200;

    // Where elements lie depends on the hash, and with it what is used of the slabs at the end.
    private readonly StoreFixture _fixture = new(KeyedHash.Create(new byte[AesHash.SecretLength]));
    private readonly Dictionary<string, (int Start, int Length)> _values = [];

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Sweep_OfSparseSlabs_GivesThemBackAndKeepsAllElements()
    {
        var random = new Random(3);
        MakeSparse(random);
        double before = UsedShare();
        using (var snapshot = Store.SortedSet("scores"u8).TakeSnapshot(out _)) // Its pages stay where they are.
        {
            SweepUntilNothingMoves();
            CheckElements();
            Assert.Equal(Fields / 10, snapshot.GetCount(SortedSetRange.All));
        }

        SweepUntilNothingMoves();
        CheckElements();
        Store.AssertValid();
        Assert.InRange(before, 0, 0.7);
        TestContext.Current.TestOutputHelper?.WriteLine($"{UsedShare():F4}");
        Assert.InRange(UsedShare(), UsedShareMin, 1);
        Assert.Equal(0, Store.State.Objects!.Pages.FirstVictim);
    }

    [Fact]
    public void Sweep_WhileOthersReadAndWrite_KeepsAllElements() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        int isDone = 0;
        var writers = Enumerable.Range(0, 2).Select(thread => Task.Factory.StartNew(
            () => WriteUntil(store, thread, new Random(seed + thread), () => Volatile.Read(ref isDone) != 0),
            TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToArray();
        for (int i = 0; i < 40; i++)
        {
            store.State.TryMakeObjects()!.Sweep();
            Thread.Yield();
        }

        Volatile.Write(ref isDone, 1);
        foreach (var (hash, list) in writers.Select(static writer => writer.GetAwaiter().GetResult()))
            Assert.True(hash && list, "A write was lost.");
        store.AssertValid();
    });

    // Values grow, so that slabs of short pages are left with a few; then most elements go.
    private void MakeSparse(Random random)
    {
        for (int length = 8; length < 600; length *= 3)
        {
            for (int i = 0; i < Fields; i++)
            {
                for (int key = 0; key < Keys; key++)
                    Set($"hash {key}", i, random.Next(length));
            }
        }

        for (int i = 0; i < Fields; i++)
        {
            Store.List("list"u8).Push(i % 2 == 0 ? ListEnd.Left : ListEnd.Right, new byte[random.Next(300)]);
            Store.SetOf("members"u8).Add(Bytes($"{i:D40}"));
            Store.SortedSet("scores"u8).Add(Bytes($"{i:D40}"), i);
        }

        for (int i = 0; i < Fields; i++)
        {
            if (i % 10 == 0)
                continue;
            Store.List("list"u8).PopArray(ListEnd.Left);
            Store.SetOf("members"u8).Remove(Bytes($"{i:D40}"));
            Store.SortedSet("scores"u8).Remove(Bytes($"{i:D40}"));
            for (int key = 0; key < Keys; key++)
            {
                Store.Hash(Bytes($"hash {key}")).Remove(BitConverter.GetBytes(i));
                _values.Remove($"hash {key}:{i}");
            }
        }
    }

    private void Set(string key, int field, int length)
    {
        byte[] value = new byte[length];
        Array.Fill(value, (byte)(field + length));
        Assert.Equal(WriteStatus.Done, Store.Hash(Bytes(key)).Set(BitConverter.GetBytes(field), value));
        _values[$"{key}:{field}"] = ((byte)(field + length), length);
    }

    private void SweepUntilNothingMoves()
    {
        var objects = Store.State.Objects!;
        double share = -1;
        for (int i = 0; i < SweepsMax && (share != UsedShare() || objects.Pages.FirstVictim != 0); i++)
        {
            share = UsedShare();
            objects.Sweep();
        }
    }

    private void CheckElements()
    {
        foreach (var (name, (start, length)) in _values)
        {
            int colon = name.IndexOf(':', StringComparison.Ordinal);
            byte[]? value = Store.Hash(Bytes(name[..colon])).GetArray(BitConverter.GetBytes(int.Parse(
                name[(colon + 1)..], System.Globalization.CultureInfo.InvariantCulture)));
            Assert.NotNull(value);
            Assert.Equal(length, value.Length);
            Assert.False(value.AsSpan().ContainsAnyExcept((byte)start));
        }

        Assert.Equal(Fields / 10, Store.List("list"u8).Count);
        Assert.Equal(Fields / 10, Store.SetOf("members"u8).Count);
        Assert.True(
            Store.SortedSet("scores"u8).TryGetRank(Bytes($"{Fields / 2:D40}"), isReversed: false, out long rank));
        Assert.Equal(Fields / 20, rank);
    }

    // Whether each field and element was what the thread itself wrote last.
    private static (bool Hash, bool List) WriteUntil(CacheStore store, int thread, Random random, Func<bool> isDone)
    {
        bool isHashWhole = true, isListWhole = true;
        var lengths = new Dictionary<int, int>();
        var list = store.List([(byte)'l', (byte)thread]);
        var hash = store.Hash([(byte)'h', (byte)thread]);
        for (int round = 0; round < 3_000 || (!isDone() && round < 20_000); round++)
        {
            int field = random.Next(1_000), length = random.Next(round % 1_000);
            hash.Set(BitConverter.GetBytes(field), new byte[length]);
            lengths[field] = length;
            int other = random.Next(1_000);
            isHashWhole &= (hash.GetArray(BitConverter.GetBytes(other))?.Length ?? -1)
                == lengths.GetValueOrDefault(other, -1);
            list.Push(ListEnd.Right, new byte[length]);
            isListWhole &= list.GetArray(-1)?.Length == length;
            if (round % 3 == 0)
                list.PopArray(ListEnd.Left);
        }

        return (isHashWhole, isListWhole);
    }

    private double UsedShare() =>
        Store.State.Objects!.Pages.PageBytes / (double)Store.State.Objects.Pages.UsedBytes;

    private static byte[] Bytes(string text) => System.Text.Encoding.ASCII.GetBytes(text);
}
