using System.Buffers.Binary;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Large hashes that are read, written, removed, overwritten, renamed, copied, expired, cleared and evicted by several
/// threads, with values that prove themselves.
/// </summary>
/// <remarks>
/// A value has the key's number, the field and a number, and a filling that follows from these, so a value of another
/// hash, field or moment is found. The fields of a pair are always written together with one number, and never
/// removed alone. A renamed or copied hash keeps the number of the hash that its values were written for.
/// </remarks>
internal sealed class ObjectTorture(CacheStore store, int keys, int fields, int seed)
{
    private const int ShortMax = 90;
    private const int RoomMax = 8_192;

    // One of so many values is too long for a page.
    private const int LongEvery = 37;
    private const int LongMin = 1_300;
    private const int LongRange = 5_000;
    private const int HeaderSize = 3 * sizeof(int);

    // Beyond all fields.
    private const int One = 1 << 20;
    private const int Other = One + 1;

    private readonly ThreadLocal<Random> _random = new(() => new Random(seed + Environment.CurrentManagedThreadId));
    private long _reads;
    private long _hits;
    private long _large;

    public long Reads => Volatile.Read(ref _reads);

    public long Hits => Volatile.Read(ref _hits);

    /// <summary>How often a whole hash was read that no record could hold.</summary>
    public long Large => Volatile.Read(ref _large);

    /// <summary>Runs some operations.</summary>
    /// <exception cref="InvalidDataException">What was read was never written.</exception>
    public void Run(int operations)
    {
        var random = _random.Value!;
        for (int i = 0; i < operations; i++)
        {
            byte key = (byte)random.Next(keys);
            RunOne(random, key, store.Hash([key]), random.Next(fields));
        }
    }

    private void RunOne(Random random, byte key, HashKey hash, int field)
    {
        switch (random.Next(1_000))
        {
            case < 250:
                hash.Set(Name(field), Value(field, random.Next()));
                break;
            case < 350:
                hash.Remove(Name(field));
                break;
            case < 420:
                int number = random.Next();
                var pair = new EntryArray((Name(One), Value(One, number)), (Name(Other), Value(Other, number)));
                hash.SetMany(ref pair, out _);
                break;
            case < 440:
                SetMany(random, hash);
                break;
            case < 455:
                RemoveMany(random, hash);
                break;
            case < 700:
                ReadOne(hash, field);
                break;
            case < 760:
                ReadPair(hash);
                break;
            case < 775:
                ReadAll(hash);
                break;
            case < 785:
                Scan(random, hash);
                break;
            case < 788:
                store.Remove([key]);
                break;
            case < 790:
                store.Set([key], "a string"u8);
                break;
            case < 796:
                store.Rename([key], [(byte)random.Next(keys)], SetCondition.Always);
                break;
            case < 802:
                store.Copy([key], store, [(byte)random.Next(keys)], SetCondition.Always);
                break;
            case < 808:
                store.Expire([key], store.NowMs + random.Next(keys < 100 ? 5 : 500), ExpireConditions.None);
                break;
            case < 810 when random.Next(keys < 100 ? 10 : 200) == 0:
                store.Clear();
                break;
            case < 815:
                store.TryPeekInfo([key], out _);
                break;
            default:
                ReadOne(hash, field);
                break;
        }
    }

    private void SetMany(Random random, HashKey hash)
    {
        var pairs = new (byte[], byte[])[random.Next(200)];
        for (int i = 0; i < pairs.Length; i++)
        {
            int field = random.Next(fields);
            pairs[i] = (Name(field), Value(field, random.Next()));
        }

        var source = new EntryArray(pairs);
        hash.SetMany(ref source, out _);
    }

    private void RemoveMany(Random random, HashKey hash)
    {
        int from = random.Next(fields);
        var source = new KeyArray([.. Enumerable.Range(from, fields / 4).Select(i => Name(i % fields))]);
        hash.RemoveMany(ref source, out _);
    }

    private void ReadOne(HashKey hash, int field)
    {
        Span<byte> room = stackalloc byte[RoomMax];
        var sink = new RoomSink(room);
        Interlocked.Increment(ref _reads);
        if (!hash.TryGet(Name(field), ref sink))
            return;
        Interlocked.Increment(ref _hits);
        Check(field, room[..sink.Length]);
    }

    private void ReadPair(HashKey hash)
    {
        var names = new KeyArray(Name(One), Name(Other));
        var values = new ValueListSink();
        Interlocked.Increment(ref _reads);
        if (hash.GetMany(ref names, ref values) == ReadStatus.WrongType)
            return;
        if (values.Values.Count != 2)
            throw new InvalidDataException($"{values.Values.Count} of two fields were told.");
        var (one, other) = (values.Values[0], values.Values[1]);
        if (one is null != other is null)
            throw new InvalidDataException("One of a pair is there without the other.");
        if (one is not null && Check(One, one) != Check(Other, other!))
            throw new InvalidDataException("The two of a pair have different numbers.");
    }

    private void ReadAll(HashKey hash)
    {
        var sink = new AllSink();
        Interlocked.Increment(ref _reads);
        if (hash.GetAll(ref sink) != ReadStatus.Found)
            return;
        Interlocked.Increment(ref _hits);
        if (sink.One != sink.Other)
            throw new InvalidDataException($"Of a pair the one is {sink.One} and the other {sink.Other}.");
        if (sink.Left != 0)
            throw new InvalidDataException($"{sink.Left} fields are missing.");
        if (sink.Bytes > 4096)
            Interlocked.Increment(ref _large);
    }

    private static void Scan(Random random, HashKey hash)
    {
        ulong cursor = 0;
        do
        {
            var sink = new AllSink();
            if (hash.Scan(ref cursor, random.Next(1, 100), ref sink) != ReadStatus.Found)
                return;
            if (sink.Left != 0)
                throw new InvalidDataException($"{sink.Left} fields of a scan are missing.");
        }
        while (cursor != 0 && random.Next(10) != 0);
    }

    private static byte[] Name(int field) => BitConverter.GetBytes(field);

    private static byte[] Value(int field, int number)
    {
        byte[] value = new byte[LengthOf(number)];
        BinaryPrimitives.WriteInt32LittleEndian(value, number);
        BinaryPrimitives.WriteInt32LittleEndian(value.AsSpan(sizeof(int)), field);
        BinaryPrimitives.WriteInt32LittleEndian(value.AsSpan(2 * sizeof(int)), number ^ field);
        for (int i = HeaderSize; i < value.Length; i++)
            value[i] = Filling(field, number, i);
        return value;
    }

    private static int LengthOf(int number) => HeaderSize + (int)((uint)number % LongEvery == 0
        ? LongMin + (uint)number % LongRange
        : (uint)number % ShortMax);

    private static byte Filling(int field, int number, int index) => (byte)(number * 31 + field * 13 + index);

    private static int Check(int field, ReadOnlySpan<byte> value)
    {
        if (value.Length < HeaderSize)
            throw new InvalidDataException($"A value of field {field} has {value.Length} bytes.");
        int number = BinaryPrimitives.ReadInt32LittleEndian(value);
        if (value.Length != LengthOf(number))
            throw new InvalidDataException($"A value of field {field} has another's length.");
        if (BinaryPrimitives.ReadInt32LittleEndian(value[sizeof(int)..]) != field
            || BinaryPrimitives.ReadInt32LittleEndian(value[(2 * sizeof(int))..]) != (number ^ field))
        {
            throw new InvalidDataException($"A value of field {field} is another's.");
        }

        for (int i = HeaderSize; i < value.Length; i++)
        {
            if (value[i] != Filling(field, number, i))
                throw new InvalidDataException($"A value of field {field} is torn.");
        }

        return number;
    }

    private ref struct RoomSink(Span<byte> room) : IValueSink
    {
        private readonly Span<byte> _room = room;

        public int Length { get; private set; }

        public readonly Span<byte> GetSpan(int length) => _room[..length];

        public void Advance(int length) => Length = length;
    }

    private struct AllSink : IFieldSink
    {
        public readonly bool IsFull => false;

        public long Left { get; private set; }

        public long Bytes { get; private set; }

        public int One { get; private set; }

        public int Other { get; private set; }

        public void Begin(long count) => Left = count;

        public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value)
        {
            Left--;
            Bytes += field.Length + value.Length;
            if (field.Length != sizeof(int))
                throw new InvalidDataException("A field that nobody wrote.");
            int name = BinaryPrimitives.ReadInt32LittleEndian(field);
            int number = Check(name, value);
            if (name == ObjectTorture.One)
                One = number;
            else if (name == ObjectTorture.Other)
                Other = number;
        }
    }
}
