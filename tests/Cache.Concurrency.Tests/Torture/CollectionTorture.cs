using System.Buffers.Binary;
using Cache.Core;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>Hashes that are read and written by several threads, with values that prove themselves.</summary>
/// <remarks>
/// A value is a number and a filling that follows from it and from key and field, of a length that follows from it
/// too: so each write moves what lies behind. The fields of a pair are always written together, with one number.
/// </remarks>
internal sealed class CollectionTorture(CacheStore store, int keys, int seed)
{
    private const int Fields = 12;
    private const int LengthMax = 90;

    private static readonly byte[] _one = "one of a pair"u8.ToArray();
    private static readonly byte[] _other = "the other one"u8.ToArray();

    private readonly ThreadLocal<Random> _random = new(() => new Random(seed + Environment.CurrentManagedThreadId));
    private long _reads;
    private long _hits;

    public long Reads => Volatile.Read(ref _reads);

    public long Hits => Volatile.Read(ref _hits);

    /// <summary>Runs some operations.</summary>
    /// <exception cref="InvalidDataException">What was read was never written.</exception>
    public void Run(int operations)
    {
        var random = _random.Value!;
        for (int i = 0; i < operations; i++)
        {
            byte key = (byte)random.Next(keys);
            var hash = store.Hash([key]);
            byte field = (byte)random.Next(Fields);
            switch (random.Next(20))
            {
                case < 4:
                    hash.Set([field], Value(key, field, random.Next()));
                    break;
                case < 6:
                    hash.Remove([field]);
                    break;
                case < 8:
                    int number = random.Next();
                    var pair = new Pair(Value(key, _one[0], number), Value(key, _other[0], number));
                    hash.SetMany(ref pair, out _);
                    break;
                case 8 when random.Next(20) == 0:
                    store.Remove([key]);
                    break;
                case < 14:
                    ReadOne(hash, key, field);
                    break;
                default:
                    ReadAll(hash, key);
                    break;
            }
        }
    }

    private void ReadOne(HashKey hash, byte key, byte field)
    {
        Span<byte> room = stackalloc byte[4096];
        var sink = new SpanSink(room);
        Interlocked.Increment(ref _reads);
        if (!hash.TryGet([field], ref sink))
            return;
        Interlocked.Increment(ref _hits);
        Check(key, field, room[..sink.Length]);
    }

    private void ReadAll(HashKey hash, byte key)
    {
        var sink = new PairSink(key);
        Interlocked.Increment(ref _reads);
        if (hash.GetAll(ref sink) != ReadStatus.Found)
            return;
        Interlocked.Increment(ref _hits);
        if (sink.One != sink.Other)
            throw new InvalidDataException($"Of a pair the one is {sink.One} and the other {sink.Other}.");
        if (sink.Left != 0)
            throw new InvalidDataException($"{sink.Left} fields are missing.");
    }

    private static byte[] Value(byte key, byte field, int number)
    {
        byte[] value = new byte[sizeof(int) + (uint)number % LengthMax];
        BinaryPrimitives.WriteInt32LittleEndian(value, number);
        for (int i = sizeof(int); i < value.Length; i++)
            value[i] = Filling(key, field, number, i);
        return value;
    }

    private static byte Filling(byte key, byte field, int number, int index) =>
        (byte)(number * 31 + key * 7 + field * 13 + index);

    private static int Check(byte key, byte field, ReadOnlySpan<byte> value)
    {
        if (value.Length < sizeof(int))
            throw new InvalidDataException($"A value of field {field} has {value.Length} bytes.");
        int number = BinaryPrimitives.ReadInt32LittleEndian(value);
        if (value.Length != sizeof(int) + (uint)number % LengthMax)
            throw new InvalidDataException($"A value of field {field} has another's length.");
        for (int i = sizeof(int); i < value.Length; i++)
        {
            if (value[i] != Filling(key, field, number, i))
                throw new InvalidDataException($"A value of field {field} is torn, or another's.");
        }

        return number;
    }

    private ref struct SpanSink(Span<byte> room) : IValueSink
    {
        private readonly Span<byte> _room = room;

        public int Length { get; private set; }

        public readonly Span<byte> GetSpan(int length) => _room[..length];

        public void Advance(int length) => Length = length;
    }

    private readonly struct Pair(byte[] one, byte[] other) : IEntrySource
    {
        public int Count => 2;

        public ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _one : _other;

        public ReadOnlySpan<byte> GetValue(int index) => index == 0 ? one : other;
    }

    private struct PairSink(byte key) : IFieldSink
    {
        public readonly bool IsFull => false;

        public long Left { get; private set; }

        public int One { get; private set; }

        public int Other { get; private set; }

        public void Begin(long count) => Left = count;

        public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value)
        {
            Left--;
            if (field.IsEmpty || (field.Length > 1 && !field.SequenceEqual(_one) && !field.SequenceEqual(_other)))
                throw new InvalidDataException("A field that nobody wrote.");
            int number = Check(key, field[0], value);
            if (field.SequenceEqual(_one))
                One = number;
            else if (field.SequenceEqual(_other))
                Other = number;
        }
    }
}
