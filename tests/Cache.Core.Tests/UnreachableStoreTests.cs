using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Sharding;
using Cache.Testing;

namespace Cache.Core.Tests;

/// <summary>Calls on stores that nobody has any more, with the collector at work in the middle of them.</summary>
/// <remarks>
/// A store's addresses are unmapped by a finalizer. The processor's code may forget an object after its last use, so a
/// call must use its store after it has touched native memory for the last time. That shows in optimized code alone.
/// </remarks>
[Collection(nameof(ProcessWideCollection))]
public sealed class UnreachableStoreTests
{
    // The method that a process runs which was started for it alone.
    private const string ChildVariable = "CACHE_UNREACHABLE_TEST";

    private const int Keys = 100;
    private const int FewKeys = 10; // A batch of these takes another way than one of all.
    private const int Large = 60_000;
    private const int CallsOfEach = 30;

    private static readonly byte[][] _keys =
        [.. Enumerable.Range(0, Keys).Select(static i => BitConverter.GetBytes(i))];

    private static readonly byte[] _large = "large"u8.ToArray();
    private static readonly byte[] _expiring = "expiring"u8.ToArray();
    private static readonly byte[] _number = "number"u8.ToArray();
    private static readonly byte[] _hash = "hash"u8.ToArray();
    private static readonly byte[] _list = "list"u8.ToArray();

    // Of the store whose call is under way; short, so it forgets the store once only finalizers see it.
    private static WeakReference<StoreState>? _present;
    private static int _collections;

    // Each calls the test in its middle.
    private static readonly Action<CacheStore>[] _callers =
    [
        static store => Get(store, _keys[0]),
        static store => Get(store, _large),
        static store => Get(store, _expiring),
        static store => GetWithInfo(store),
        static store => GetRange(store),
        static store => GetAndExpire(store),
        static store => Lend(store),
        static store => Take(store, _keys[1]),
        static store => Take(store, _large),
        static store => Exchange(store, 10),
        static store => Exchange(store, Large),
        static store => GetSome(store, _keys),
        static store => GetSome(store, [_large, .. _keys]),
        static store => SetSome(store, FewKeys, 10),
        static store => SetSome(store, Keys, 10),
        static store => SetSome(store, Keys, 200),
        static store => SetSome(store, FewKeys, Large),
        static store => GetField(store),
        static store => SetFields(store),
        static store => GetElement(store),
        static store => PushElements(store),
        static store => PopElement(store),
        static store => MoveElement(store),
        static store => Select(store),
        static store => Transact(store),
        static store => Scan(store),
        static store => GetRandom(store),
    ];

    private static readonly Action<CacheStore>[] _others =
    [
        static store => store.Set(_keys[0], new byte[10]),
        static store => store.Set(_keys[0], new byte[2_000]),
        static store => store.Set(_large, new byte[2 * Large]),
        static store => store.SetRange(_large, 10, new byte[3 * Large], out _),
        static store => store.Append(_large, new byte[Large], out _),
        static store => store.Increment(_number, 1, out _),
        static store => store.Expire(_keys[0], store.NowMs + 1_000, ExpireConditions.None),
        static store => store.Persist(_expiring),
        static store => store.Hash(_hash).Set("f"u8, new byte[30]),
        static store => store.Hash(_hash).GetCount(out _),
        static store => store.Hash(_hash).Remove("f"u8),
        static store => store.List(_list).Push(ListEnd.Left, new byte[30]),
        static store => store.List(_list).GetCount(out _),
        static store => store.List(_list).Trim(0, 3),
        static store => store.SetOf(_keys[1]).Add("m"u8),
        static store => store.SortedSet(_keys[1]).Add("m"u8, 1),
        static store => store.MoveMember(_keys[1], _keys[2], "m"u8),
        static store => store.StoreRange(_keys[1], SortedSetRange.All, _keys[2], out _),
        static store => store.TryPeekCollection(_hash, out _),
        static store => store.Remove(_large),
        static store => store.Move(_large, store.SelectKeyspace(1)),
        static store => store.ChangeBits(
            _large, [new BitFieldStep { Action = BitFieldAction.Set, Width = 1, Offset = 24L * Large }]),
        static store => store.Rename(_large, _number, SetCondition.Always),
        static store => store.Copy(_large, store, _number, SetCondition.Always),
        static store => store.TryPeekInfo(_expiring, out _),
        static store => store.EndPrefetch(store.BeginPrefetch(_keys[0]), 10),
        static store => store.ClearAll(),
        static store => store.Validate(),
        static store => store.MemoryLimitBytes = 2 << 20,
        static store => store.GetMemory(),
        static store => store.Dispose(),
    ];

    [Fact]
    public void Call_CollectedInItsMiddle_KeepsTheStoresMemory() =>
        RunOptimized(nameof(Call_CollectedInItsMiddle_KeepsTheStoresMemory), static () =>
        {
            for (int i = 0; i < _callers.Length; i++)
            {
                int before = _collections;
                CallOnNewStore(_callers[i]);
                Assert.True(_collections > before, $"Call {i} did not collect.");
                Collect();
                Assert.False(_present!.TryGetTarget(out _), $"Call {i}: somebody has the store still.");
            }
        });

    [Fact]
    public void Call_WhileTheCollectorRuns_KeepsTheStoresMemory() =>
        RunOptimized(nameof(Call_WhileTheCollectorRuns_KeepsTheStoresMemory), static () =>
        {
            bool isOver = false;
            var collector = new Thread(() =>
            {
                while (!Volatile.Read(ref isOver))
                {
                    GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
                    GC.WaitForPendingFinalizers();
                }
            });
            collector.Start();
            foreach (var call in _others)
            {
                for (int i = 0; i < CallsOfEach; i++)
                    CallOnNewStore(call);
            }

            Volatile.Write(ref isOver, true);
            collector.Join();
        });

    /// <summary>Runs a test in a process whose code is optimized from the first call on.</summary>
    private static void RunOptimized(string method, Action test)
    {
        if (Environment.GetEnvironmentVariable(ChildVariable) == method)
        {
            test();
            return;
        }

        var start = new ProcessStartInfo(Environment.ProcessPath!)
        {
            ArgumentList = { "-method", $"{typeof(UnreachableStoreTests).FullName}.{method}" },
            Environment = { [ChildVariable] = method, ["DOTNET_TieredCompilation"] = "0" },
            RedirectStandardOutput = true,
        };
        using var process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0 && output.Contains("Total: 1", StringComparison.Ordinal), output);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // No frame but the call's has the store.
    private static void CallOnNewStore(Action<CacheStore> call) => call(Create());

    [MethodImpl(MethodImplOptions.NoInlining)] // No frame but its own has the store.
    private static CacheStore Create()
    {
        // A clock of its own: a timer of the system's would have the store.
        var store = new CacheStore(
            new CacheOptions { MemoryLimitBytes = 4 << 20, ShardCount = 1 }, new FakeTimeProvider());
        foreach (byte[] key in _keys)
            store.Set(key, new byte[10]);
        store.Set(_large, new byte[Large]);
        store.Set(_expiring, new byte[10], new EntryOptions { SlidingMs = 1_000 });
        store.Hash(_hash).Set("f"u8, new byte[10]);
        store.List(_list).Push(ListEnd.Left, new byte[10]);
        _present = new WeakReference<StoreState>(StateOf(store));
        return store;
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    [MethodImpl(MethodImplOptions.NoInlining)] // No frame but its own has the store.
    private static void Collect()
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true);
        GC.WaitForPendingFinalizers();
        _collections++;
    }

    // What comes after this call in the door may touch the store's memory.
    private static void CollectInTheMiddle()
    {
        Collect();
        if (!_present!.TryGetTarget(out _))
            throw new InvalidOperationException("The store is gone while one of its calls is under way.");
    }

    private static void Get(CacheStore store, byte[] key)
    {
        var sink = default(Sink);
        store.TryGet(key, ref sink);
    }

    private static void GetWithInfo(CacheStore store)
    {
        var sink = default(Sink);
        store.TryGet(_keys[0], ref sink, out _);
    }

    private static void GetRange(CacheStore store)
    {
        var sink = default(Sink);
        store.TryGetRange(_large, 100, 50_000, ref sink);
    }

    private static void GetAndExpire(CacheStore store)
    {
        var sink = default(Sink);
        store.TryGetAndExpire(_keys[0], long.MaxValue, ref sink);
    }

    private static void Lend(CacheStore store)
    {
        var sink = default(Sink);
        store.TryGet(_large, store.BeginPrefetch(_large), ref sink, int.MaxValue, out _);
    }

    private static void Take(CacheStore store, byte[] key)
    {
        var sink = default(Sink);
        store.TryRemove(key, ref sink);
    }

    private static void Exchange(CacheStore store, int length)
    {
        var sink = default(Sink);
        store.Set(_keys[2], new byte[length], default, ref sink, out _);
    }

    private static void GetSome(CacheStore store, byte[][] keys)
    {
        var source = new KeyArray(keys);
        var sink = default(Sink);
        store.GetMany(ref source, ref sink);
    }

    private static void SetSome(CacheStore store, int count, int length)
    {
        var source = new Entries(count, new byte[length]);
        store.SetMany(ref source, SetCondition.Always);
    }

    private static void Transact(CacheStore store)
    {
        var transaction = default(Transaction);
        store.Transact(ref transaction);
    }

    private static void GetField(CacheStore store)
    {
        var sink = default(Sink);
        store.Hash(_hash).TryGet("f"u8, ref sink);
    }

    private static void SetFields(CacheStore store)
    {
        var entries = new Entries(FewKeys, new byte[10]);
        store.Hash(_hash).SetMany(ref entries, out _);
    }

    private static void GetElement(CacheStore store)
    {
        var sink = default(Sink);
        store.List(_list).Get(0, ref sink);
    }

    private static void PushElements(CacheStore store)
    {
        var elements = new Elements(FewKeys);
        store.List(_list).PushMany(ListEnd.Left, ref elements, SetCondition.Always, out _);
    }

    private static void PopElement(CacheStore store)
    {
        var sink = default(Sink);
        store.List(_list).Pop(ListEnd.Left, ref sink);
    }

    private static void MoveElement(CacheStore store)
    {
        var sink = default(Sink);
        store.List(_list).Move(ListEnd.Left, "list 2"u8, ListEnd.Left, ref sink);
    }

    private static void Select(CacheStore store)
    {
        var selection = default(Selection);
        store.StoreSelection("no key"u8, ref selection, _keys[2]);
    }

    private static void Scan(CacheStore store)
    {
        var sink = default(KeySink);
        store.Scan(0, Keys, ref sink);
    }

    private static void GetRandom(CacheStore store)
    {
        var sink = default(Sink);
        store.TryGetRandomKey(ref sink);
    }

    private struct Sink : IValueBatchSink
    {
        private static readonly byte[] _buffer = new byte[3 * Large];

        public readonly bool IsFull => false;

        public readonly Span<byte> GetSpan(int length)
        {
            CollectInTheMiddle();
            return _buffer.AsSpan(0, length);
        }

        public readonly void Advance(int length)
        {
        }

        public readonly void Miss()
        {
        }

        public readonly void Restart()
        {
        }
    }

    private readonly struct Elements(int count) : IKeySource
    {
        public int Count => count;

        public ReadOnlySpan<byte> GetKey(int index)
        {
            if (index == count - 1)
                CollectInTheMiddle();
            return _keys[index];
        }
    }

    private readonly struct Entries(int count, byte[] value) : IEntrySource
    {
        public int Count => count;

        public ReadOnlySpan<byte> GetKey(int index) => _keys[index];

        public ReadOnlySpan<byte> GetValue(int index)
        {
            if (index == count - 1)
                CollectInTheMiddle();
            return value;
        }
    }

    private readonly struct Selection : ISortedSetSelection
    {
        public int Count => 1;

        public ReadOnlySpan<byte> GetKey(int index) => "m"u8;

        public double GetScore(int index) => 1;

        public bool TrySelect(scoped in SortedSetSnapshot set)
        {
            CollectInTheMiddle();
            return set.Count >= 0;
        }
    }

    private struct KeySink : IKeySink
    {
        public readonly bool IsFull => false;

        public readonly void Take(ReadOnlySpan<byte> key) => CollectInTheMiddle();
    }

    private readonly struct Transaction : ITransaction
    {
        public int KeyCount => Keys;

        public int WriteCount => Keys;

        public long WrittenBytes => Keys * 100;

        public ReadOnlySpan<byte> GetKey(int index) => _keys[index];

        public int GetKeyspace(int index) => 0;

        public void Run(CacheStore store)
        {
            foreach (byte[] key in _keys)
                store.Set(key, new byte[20]);
            CollectInTheMiddle();
            Get(store, _keys[0]);
        }
    }
}
