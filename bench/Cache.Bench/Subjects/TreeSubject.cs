using System.Buffers.Binary;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using Cache.Core.Collections.Trees;
using Cache.Core.Hashing;
using Cache.Core.Layout;

namespace Cache.Bench.Subjects;

/// <summary>The four kinds of collections as trees of one size, and what is done with them.</summary>
internal sealed class TreeSubject : IDisposable
{
    private const int NameLength = 13;
    private const int Chunk = 128; // Shorter than a time slice.
    private const int Operations = 100_000;
    private const int Rounds = 3;

    private readonly TreePages _pages =
        new(1L << 30, 64L << 30, SlabBudget.Unlimited, TreePageCache.PagesPerLengthMax, hugePages: true);

    private readonly KeyedHash _hash = KeyedHash.CreateRandom();
    private readonly Random _random = new(7);
    private readonly int _count;
    private readonly byte[] _names;
    private readonly byte[] _value = Encoding.ASCII.GetBytes("value000000000000042");
    private readonly byte[] _picks = new byte[Operations * NameLength];
    private readonly ulong[] _scores;
    private Tree<ByHash> _set;
    private Tree<ByHashWithValue> _map;
    private Tree<ByHashWithValue> _members;
    private Tree<ByScore> _order;
    private Tree<ByPosition> _list;
    private long _checksum;

    public TreeSubject(int count)
    {
        _count = count;
        int[] numbers = [.. Enumerable.Range(0, count)];
        _random.Shuffle(numbers);
        _names = new byte[count * NameLength];
        for (int i = 0; i < count; i++)
        {
            _names[i * NameLength] = (byte)'m';
            _ = (numbers[i] * 2654435761L % 1_000_000_000_000).TryFormat(
                _names.AsSpan(i * NameLength + 1, NameLength - 1), out _, "D12", CultureInfo.InvariantCulture);
        }

        // Names to ask for lie one behind the other, so that they cost no misses themselves.
        for (int i = 0; i < Operations; i++)
            Name(_random.Next(count)).CopyTo(Pick(i));
        _scores = [.. Enumerable.Range(0, count).Select(_ => Sortable(_random.NextDouble() * 1e6))];
    }

    public void Dispose() => _pages.Dispose();

    public IEnumerable<(string Name, double Bytes, double WithSlabs, double Nanoseconds)> Build()
    {
        yield return Measure("set", i => Add(ref _set, Hash(Name(i)), Name(i), default));
        yield return Measure("hash, values of 20", i => Add(ref _map, Hash(Name(i)), Name(i), _value));
        yield return Measure("sorted set", i =>
        {
            Span<byte> score = stackalloc byte[sizeof(ulong)];
            BinaryPrimitives.WriteUInt64LittleEndian(score, _scores[i]);
            Add(ref _order, _scores[i], Name(i), default);
            Add(ref _members, Hash(Name(i)), Name(i), score);
        });
        yield return Measure("list of 20", i => Writer(ref _list).InsertAt((uint)i, new TreeEntry(_value, default)));
    }

    public IEnumerable<(string Name, double Quartile, double Median)> Time()
    {
        (string Name, Action<int> Body)[] operations =
        [
            ("SISMEMBER", i => Require(Reader(in _set).TryFindHash(Hash(Pick(i)), Pick(i), out _))),
            ("HGET", i => Require(Reader(in _map).TryFindHash(Hash(Pick(i)), Pick(i), out _))),
            ("HSET, same length", i => Add(ref _map, Hash(Pick(i)), Pick(i), _value)),
            ("ZSCORE", i => Score(Pick(i))),
            ("ZRANK", i => Require(Reader(in _order).TryFindRank(Score(Pick(i)), Pick(i), out _))),
            ("ZRANGE of 10 by rank", i => Range(Reader(in _order).At((uint)(_scores[i % _count] % (uint)_count)))),
            ("LINDEX", i => Require(Reader(in _list).At((uint)(_scores[i % _count] % (uint)_count)).IsValid)),
            ("ZADD, another score", Rescore),
            ("SREM and SADD", i =>
            {
                Writer(ref _set).Remove(Hash(Pick(i)), Pick(i));
                Add(ref _set, Hash(Pick(i)), Pick(i), default);
            }),
        ];
        var times = operations.Select(static _ => new List<double>()).ToList();
        for (int round = 0; round < Rounds; round++)
        {
            for (int i = 0; i < operations.Length; i++)
                Chunks(operations[i].Body, times[i]);
        }

        for (int i = 0; i < operations.Length; i++)
        {
            times[i].Sort();
            yield return (operations[i].Name, times[i][times[i].Count / 4], times[i][times[i].Count / 2]);
        }
    }

    private static void Chunks(Action<int> body, List<double> times)
    {
        for (int i = 0; i + Chunk <= Operations; i += Chunk)
        {
            long start = Stopwatch.GetTimestamp();
            for (int j = i; j < i + Chunk; j++)
                body(j);
            times.Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / Chunk);
        }
    }

    private (string Name, double Bytes, double WithSlabs, double Nanoseconds) Measure(string name, Action<int> add)
    {
        _pages.FlushCaches();
        long pages = _pages.PageBytes, slabs = _pages.UsedBytes;
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < _count; i++)
            add(i);
        double nanoseconds = Stopwatch.GetElapsedTime(start).TotalNanoseconds / _count;
        _pages.FlushCaches();
        return (name, (_pages.PageBytes - pages) / (double)_count, (_pages.UsedBytes - slabs) / (double)_count,
            nanoseconds);
    }

    private void Rescore(int i)
    {
        var name = Pick(i);
        Span<byte> score = stackalloc byte[sizeof(ulong)];
        ulong former = Score(name), later = _scores[(i * 7L + 3) % _count];
        BinaryPrimitives.WriteUInt64LittleEndian(score, later);
        Writer(ref _order).Remove(former, name);
        Add(ref _order, later, name, default);
        Add(ref _members, Hash(name), name, score);
    }

    private ulong Score(ReadOnlySpan<byte> name)
    {
        Require(Reader(in _members).TryFindHash(Hash(name), name, out var entry));
        return BinaryPrimitives.ReadUInt64LittleEndian(entry.Value);
    }

    private void Range(TreeCursor<ByScore> cursor)
    {
        for (int i = 0; i < 10 && cursor.IsValid; i++, cursor.MoveNext())
            _checksum += cursor.Entry.Name.Length;
    }

    private uint Hash(ReadOnlySpan<byte> name) => (uint)_hash.Hash(name);

    private ReadOnlySpan<byte> Name(int index) => _names.AsSpan(index * NameLength, NameLength);

    private Span<byte> Pick(int index) => _picks.AsSpan(index * NameLength, NameLength);

    private void Add<TOrder>(ref Tree<TOrder> tree, ulong key, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
        where TOrder : struct, ITreeOrder =>
        Require(Writer(ref tree).Set(key, new TreeEntry(name, value)) is TreeChange.Added or TreeChange.Replaced
            or TreeChange.None);

    private TreeReader<TOrder> Reader<TOrder>(in Tree<TOrder> tree)
        where TOrder : struct, ITreeOrder => new(_pages.Addresses, tree.Root.Page);

    private TreeWriter<TOrder> Writer<TOrder>(ref Tree<TOrder> tree)
        where TOrder : struct, ITreeOrder => new(_pages, ref tree.Root, ref tree.Epochs, 1);

    private static ulong Sortable(double score)
    {
        ulong bits = BitConverter.DoubleToUInt64Bits(score);
        return bits >> 63 != 0 ? ~bits : bits | 1UL << 63;
    }

    private static void Require(bool isRight)
    {
        if (!isRight)
            throw new WrongAnswerException("A tree has lost an element.");
    }

    private struct Tree<TOrder>
        where TOrder : struct, ITreeOrder
    {
        public TreeRoot Root;
        public TreeEpochs Epochs;
    }
}
