using System.Globalization;
using Cache.Core.Sharding;
using Cache.Core.Tests.Changes;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

/// <summary>Each operation on a compressed value does what it does on the same value as it was written.</summary>
public sealed class CompressedValueTests : IDisposable
{
    private const int LongLength = 100_000;

    private static readonly byte[] _key = "k"u8.ToArray();

    private static readonly Dictionary<string, Func<CacheStore, object>> _operations = new()
    {
        ["TryGet"] = static s => s.TryGet(_key, ref Sink),
        ["TryGet with info"] = static s => (s.TryGet(_key, ref Sink, out var i), i.Kind, i.Length, i.UseCount),
        ["TryGet by hash"] = static s => s.TryGet(_key, s.BeginPrefetch(_key), ref Sink),
        ["TryGet lent"] = static s => (
            s.TryGet(_key, s.BeginPrefetch(_key), ref Sink, 1, out var lent), lent is null),
        ["Read"] = static s => (s.Read(_key, s.BeginPrefetch(_key), ref Sink, 1, out var lent), lent is null),
        ["TryGetRange"] = static s => s.TryGetRange(_key, 5, 12, ref Sink),
        ["TryGetRange from the end"] = static s => s.TryGetRange(_key, -7, -1, ref Sink),
        ["TryGetRange of nothing"] = static s => s.TryGetRange(_key, 9, 3, ref Sink),
        ["TryGetRange of all"] = static s => (s.TryGetRange(_key, 0, -1, ref Sink, out var i), i.Length),
        ["TryPeekRange"] = static s => (s.TryPeekRange(_key, 1, 2, ref Sink, out var i), i.Length),
        ["GetArray"] = static s => s.GetArray(_key) is not null,
        ["TryGetAndExpire"] = static s => s.TryGetAndExpire(_key, s.NowMs + 9_000, ref Sink),
        ["TryGetAndExpire in the past"] = static s => s.TryGetAndExpire(_key, 1, ref Sink),
        ["TryGetInfo"] = static s => (s.TryGetInfo(_key, out var i), i.Kind, i.Length),
        ["TryPeekInfo"] = static s => (s.TryPeekInfo(_key, out var i), i.Kind, i.Length),
        ["Contains"] = static s => s.Contains(_key),
        ["Set"] = static s => s.Set(_key, "v"u8),
        ["Set of the same length"] = static s => s.Set(_key, Filled(LengthOf(s), (byte)'w')),
        ["Set with KeepTtl"] = static s => s.Set(_key, "v"u8, new EntryOptions { KeepTtl = true }),
        ["Set if absent"] = static s => s.Set(_key, "v"u8, new EntryOptions { Condition = SetCondition.IfAbsent }),
        ["Set if present"] = static s => s.Set(_key, "v"u8, new EntryOptions { Condition = SetCondition.IfPresent }),
        ["Set of a large value"] = static s => s.Set(_key, Filled(LongLength, 1)),
        ["Set with the previous value"] = static s => (
            s.Set(_key, "v"u8, default, ref Sink, out bool existed), existed),
        ["Set if absent with the previous value"] = static s => (
            s.Set(_key, "v"u8, new EntryOptions { Condition = SetCondition.IfAbsent }, ref Sink, out bool existed),
            existed),
        ["Set of too much with the previous value"] = static s => s.Set(
            _key, new byte[20 << 20], default, ref Sink, out _),
        ["SetIfUnchanged"] = static s => SetIfUnchanged(s),
        ["SetIfExpected"] = static s => SetIfExpected(s, change: false),
        ["SetIfExpected of another value"] = static s => SetIfExpected(s, change: true),
        ["Update"] = static s => Update(s),
        ["SetRange"] = static s => (s.SetRange(_key, 3, "new"u8, out int l), l),
        ["SetRange at the beginning"] = static s => (s.SetRange(_key, 0, "new"u8, out int l), l),
        ["SetRange behind the end"] = static s => (s.SetRange(_key, LengthOf(s) + 20, "new"u8, out int l), l),
        ["SetRange far behind"] = static s => (s.SetRange(_key, LongLength, "new"u8, out int l), l),
        ["Append"] = static s => (s.Append(_key, "new"u8, out int l), l),
        ["Append of nothing"] = static s => (s.Append(_key, default, out int l), l),
        ["Append of a long part"] = static s => (s.Append(_key, Filled(LongLength, 2), out int l), l),
        ["Increment"] = static s => (s.Increment(_key, 1, out long sum), sum),
        ["ChangeBits"] = static s => Bits(s, BitFieldAction.Set, 80, 1),
        ["ChangeBits that add"] = static s => Bits(s, BitFieldAction.Add, 16, 1),
        ["ChangeBits behind the end"] = static s => Bits(s, BitFieldAction.Set, LengthOf(s) * 8L + 30, 1),
        ["ChangeBits far behind the end"] = static s => Bits(s, BitFieldAction.Set, LongLength * 8L, 1),
        ["ChangeBits that read"] = static s => Bits(s, BitFieldAction.Get, 80, 1),
        ["ChangeBits in thousands of steps"] = static s => Bits(s, BitFieldAction.Add, 80, 5_000),
        ["ChangeBits that read in thousands of steps"] = static s => Bits(s, BitFieldAction.Get, 80, 5_000),
        ["Expire"] = static s => s.Expire(_key, s.NowMs + 1_000, ExpireConditions.None),
        ["Expire in the past"] = static s => s.Expire(_key, 1, ExpireConditions.None),
        ["Expire and persist"] = static s => (
            s.Expire(_key, s.NowMs + 1_000, ExpireConditions.None), s.Persist(_key), s.Persist(_key)),
        ["Persist"] = static s => s.Persist(_key),
        ["Remove"] = static s => s.Remove(_key),
        ["TryRemove"] = static s => s.TryRemove(_key, ref Sink),
        ["GetMany"] = static s => GetMany(s),
        ["SetMany"] = static s => SetMany(s, SetCondition.Always),
        ["SetMany if absent"] = static s => SetMany(s, SetCondition.IfAbsent),
        ["SetMany if present"] = static s => SetMany(s, SetCondition.IfPresent),
        ["Rename"] = static s => s.Rename(_key, "l"u8, SetCondition.Always),
        ["Rename over it"] = static s => (
            s.Set("l"u8, "v"u8), s.Rename("l"u8, _key, SetCondition.Always)),
        ["Move"] = static s => (
            s.Move(_key, s.SelectKeyspace(1)), s.SelectKeyspace(1).TryGet(_key, ref Sink)),
        ["Copy"] = static s => s.Copy(_key, s, "l"u8, SetCondition.Always),
        ["Copy over one that is as long"] = static s => (
            s.Set("l"u8, Filled(LengthOf(s), 0)), s.Copy(_key, s, "l"u8, SetCondition.Always)),
        ["Copy over one that is as short"] = static s => (
            s.Set("l"u8, Filled(20, 0)), s.Copy(_key, s, "l"u8, SetCondition.Always)),
        ["Copy of a copy"] = static s => (
            s.Copy(_key, s, "m"u8, SetCondition.Always), s.Remove(_key),
            s.Copy("m"u8, s, "l"u8, SetCondition.Always)),
        ["Transact"] = static s => Transact(s),
        ["Clear"] = static s => s.TryClear(),
        ["Scan"] = static s => string.Join(' ', s.ScanAll(10)),
    };

    private readonly StoreFixture _plain = new();
    private readonly StoreFixture _packed = new();

    [ThreadStatic]
    private static ArraySink Sink;

    public static TheoryData<string, string, string> Rows
    {
        get
        {
            var data = new TheoryData<string, string, string>();
            foreach (string name in _operations.Keys)
            {
                data.Add(name, "short", "");
                data.Add(name, "of a dictionary", "expiring");
                data.Add(name, "long", "sliding");
            }

            return data;
        }
    }

    public void Dispose()
    {
        _plain.Dispose();
        _packed.Dispose();
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public void Operation_OnACompressedValue_DoesWhatItDoesOnAPlainOne(string name, string kind, string life)
    {
        byte[] value = kind switch
        {
            "short" => Filled(30, (byte)'7'),
            "long" => [.. Enumerable.Range(0, 6_000).Select(static i => (byte)('a' + i / 10 % 26))],
            _ => Bytes(Json(7)),
        };
        object plain = Run(_plain, name, value, life, codec: null);
        object packed = Run(_packed, name, value, life, kind == "of a dictionary" ? 1 : 0);

        Assert.Equal(plain.ToString(), packed.ToString());
    }

    // The room that a journal reserved, and what it was given, are those of the value.
    [Theory]
    [MemberData(nameof(Rows))]
    public void Operation_OnACompressedValue_IsToldAsOfAPlainOne(string name, string kind, string life)
    {
        var ofPlain = new RecordingJournal();
        var ofPacked = new RecordingJournal();
        _plain.Store.Attach(ofPlain);
        _packed.Store.Attach(ofPacked);

        Operation_OnACompressedValue_DoesWhatItDoesOnAPlainOne(name, kind, life);

        Assert.Equal(TextOf(ofPlain), TextOf(ofPacked));
        _plain.Store.Detach(ofPlain);
        _packed.Store.Detach(ofPacked);
    }

    // Also of those that lie outside of their home.
    [Fact]
    public void Crowd_OfCompressedValues_IsServedByAllReads()
    {
        const int count = 390 * 16;
        var store = _packed.Store;
        store.UseDictionary(Bytes(Json(1)));
        for (int i = 0; i < count; i++)
        {
            _packed.Set($"key:{i}", Json(i));
            store.Compress(Bytes($"key:{i}"));
        }

        var all = new KeyArray([.. Enumerable.Range(0, count).Select(static i => Bytes($"key:{i}"))]);
        var many = new ValueListSink();
        store.GetMany(ref all, ref many);
        for (int i = 0; i < count; i++)
        {
            Assert.Equal(Json(i), _packed.Get($"key:{i}"));
            Assert.Equal(Bytes(Json(i)), many.Values[i]);
        }

        Assert.Equal(count, store.GetStatistics().CompressedCount);
        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, _packed.Set($"key:{i}", Json(i + 1)));
        for (int i = 0; i < count; i++)
            Assert.Equal(Json(i + 1), _packed.Get($"key:{i}"));
        Assert.Equal(0, store.GetStatistics().CompressedCount);
    }

    // Attempts without a lock that failed end under the lock.
    [Fact]
    public void TryGet_WhileItsBucketIsAlwaysWritten_EndsUnderTheLock()
    {
        var store = _packed.Store;
        store.Set(_key, Filled(300, 3), ExpiringAt(store.NowMs + 5_000));
        store.Compress(_key);
        byte[] room = new byte[300];
        int calls = 0;
        var sink = new WritingSink(room, () =>
        {
            if (++calls < 20)
                store.Expire("k"u8, store.NowMs + 1_000 + calls, ExpireConditions.None);
        });

        Assert.True(store.TryGet(_key, ref sink));

        Assert.Equal(Filled(300, 3), room);
        Assert.InRange(calls, 2, 20);
        Assert.Equal(0, store.CodecOf(_key));
    }

    // A record that was staged in vain would keep its segment, and those that look for room, waiting for ever.
    [Fact]
    public void Append_WithoutMemoryToDecode_LeavesNothingStagedAndNothingChanged()
    {
        var store = _packed.Store;
        store.Set(_key, Filled(300, 3));
        store.Compress(_key);

        WithoutMemory(() => store.Append(_key, "new"u8, out _));

        Assert.Equal(0, store.CodecOf(_key));
        Assert.Equal(Filled(300, 3), store.GetArray(_key));
        for (int i = 0; i < 20_000; i++) // The segments are sealed.
            Assert.Equal(WriteStatus.Done, store.Set(Bytes($"filler:{i}"), new byte[1_000]));
        store.AssertValid();
    }

    // The journal gets what is in the store, and nothing else.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Copy_WithoutMemoryToDecodeForTheJournal_ChangesNothing(bool removes)
    {
        var store = _packed.Store;
        store.Set(_key, Filled(300, 3));
        store.Compress(_key);
        var journal = new RecordingJournal();
        store.Attach(journal);

        WithoutMemory(() => Copy());

        Assert.Equal((true, false), (store.Contains(_key), store.Contains("l"u8)));
        Assert.Empty(journal.Changes);
        Assert.Equal(WriteStatus.Done, Copy());
        Assert.Equal(Filled(300, 3), journal.Changes[0].Value);
        store.Detach(journal);

        WriteStatus Copy() => removes
            ? store.Rename(_key, "l"u8, SetCondition.Always)
            : store.Copy(_key, store, "l"u8, SetCondition.Always);
    }

    [Fact]
    public void Statistics_OfCompressedValues_AreTheirLengths()
    {
        var store = _packed.Store;
        for (int i = 0; i < 10; i++)
        {
            store.Set(Bytes($"key:{i}"), Filled(1_000, (byte)i));
            store.Compress(Bytes($"key:{i}"));
        }

        store.Remove("key:3"u8);
        store.Copy("key:4"u8, store, "copy"u8, SetCondition.Always);
        var statistics = store.GetStatistics();

        Assert.Equal((10, 10_000), (statistics.CompressedCount, statistics.CompressedValueBytes));
        Assert.InRange(statistics.CompressedBytes, 10 * 4, 10 * 30);
        store.ClearAll();
        _packed.Clock.Advance(1_000);
        Assert.Equal(default, (store.GetStatistics().CompressedCount, store.GetStatistics().CompressedBytes));
    }

    private static string Json(int i) =>
        $"{{\"id\":{i},\"name\":\"customer {i * 7919L}\",\"city\":\"Springfield\",\"tags\":[\"new\",\"paid\"]}}";

    private static void WithoutMemory(Action action)
    {
        RoomSteps.Observe(static step =>
        {
            if (step == RoomStep.PackingNeedsMemory)
                throw new OutOfMemoryException();
        });
        try
        {
            Assert.Throws<OutOfMemoryException>(action);
        }
        finally
        {
            RoomSteps.Observe(null);
        }
    }

    private static object Run(StoreFixture fixture, string name, byte[] value, string life, int? codec)
    {
        var store = fixture.Store;
        var options = life switch
        {
            "expiring" => ExpiringAt(store.NowMs + 60_000),
            "sliding" => Sliding(60_000),
            _ => default,
        };
        store.Set(_key, value, options);
        if (codec == 1)
            store.UseDictionary(Bytes(Json(1)));
        if (codec is not null)
            store.Compress(_key);
        Assert.Equal(codec, store.CodecOf(_key));
        Sink = default;

        object said = _operations[name](store);

        string sink = Sink.Array is { } bytes ? Convert.ToHexString(bytes) : "nothing";
        store.AssertValid();
        return $"{said}; {sink}; {DescribeAll(store)}; {store.GetStatistics().Hits}";
    }

    private static string DescribeAll(CacheStore store) =>
        string.Join(", ", new[] { "k", "l", "m" }.Select(key =>
        {
            bool exists = store.TryPeekInfo(Bytes(key), out var info);
            byte[]? value = store.GetArray(Bytes(key));
            Assert.Equal(exists, value is not null);
            return string.Create(
                CultureInfo.InvariantCulture,
                $"{key} {info.Length} {info.ExpiresAtMs - store.NowMs} {info.SlidingMs} ")
                + Convert.ToHexString(value ?? []);
        }));

    private static string TextOf(RecordingJournal journal) => string.Join(
        '\n', journal.Changes.Select(static change =>
            $"{change.Record} {change.Key} {Convert.ToHexString(change.Value)}"));

    private static int LengthOf(CacheStore store) => store.TryPeekInfo(_key, out var info) ? info.Length : 0;

    private static WriteStatus SetIfUnchanged(CacheStore store)
    {
        store.TryPeekInfo(_key, out var info);
        return store.SetIfUnchanged(_key, "v"u8, default, info.Version);
    }

    private static object Update(CacheStore store)
    {
        var update = default(ReversingUpdate);
        return (store.Update(_key, ref update), Convert.ToHexString(update.Present ?? []));
    }

    private static WriteStatus SetIfExpected(CacheStore store, bool change)
    {
        var watched = store.Watch(_key);
        store.TryPeekInfo(_key, out var info);
        byte[] value = store.GetArray(_key)!;
        if (change)
            value[^1]++;
        var status = store.SetIfExpected(
            _key, "w"u8, new EntryOptions { KeepTtl = true },
            new ExpectedEntry { Exists = true, Value = value, ExpiresAtMs = info.ExpiresAtMs, Watched = watched });
        store.Unwatch(watched);
        return status;
    }

    private static object Bits(CacheStore store, BitFieldAction action, long offset, int count)
    {
        var steps = new BitFieldStep[count];
        Array.Fill(steps, new BitFieldStep { Action = action, Width = 8, Offset = offset, Value = 1 });
        var status = store.ChangeBits(_key, steps);
        return $"{status} {string.Join(' ', steps.Take(3).Select(static step => step.Result))}";
    }

    private static string GetMany(CacheStore store)
    {
        var keys = new KeyArray("absent"u8.ToArray(), _key, _key);
        var sink = new ValueListSink();
        store.GetMany(ref keys, ref sink);
        return string.Join(' ', sink.Values.Select(static value => value is null ? "-" : Convert.ToHexString(value)));
    }

    private static WriteStatus SetMany(CacheStore store, SetCondition condition)
    {
        var entries = new EntryArray((_key, "one"u8.ToArray()), ("l"u8.ToArray(), "two"u8.ToArray()));
        return store.SetMany(ref entries, condition);
    }

    private static object Transact(CacheStore store)
    {
        object said = "";
        KeyedTransaction.Run(store, [_key, "l"u8.ToArray()], 1, 8, view =>
        {
            byte[]? before = view.GetArray(_key);
            var copied = view.Copy(_key, view, "l"u8, SetCondition.Always);
            var appended = view.Append(_key, "new"u8, out int length);
            var expired = view.Expire("l"u8, view.NowMs + 5_000, ExpireConditions.None);
            var set = view.Set("l"u8, "v"u8, default, ref Sink, out bool existed);
            said = (before!.Length, copied, appended, length, expired, set, existed);
        });
        return said;
    }

    private ref struct ReversingUpdate : IValueUpdate
    {
        public byte[]? Present;

        public readonly int LengthMax => LongLength;

        public readonly ReadOnlySpan<byte> Value => "v"u8;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            Present = present.ToArray();
            return exists;
        }
    }

    private struct WritingSink(byte[] room, Action write) : IValueSink
    {
        public readonly Span<byte> GetSpan(int length)
        {
            write();
            return room.AsSpan(0, length);
        }

        public readonly void Advance(int length)
        {
        }
    }
}
