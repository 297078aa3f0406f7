using System.Buffers.Binary;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Large lists that are pushed, popped, read, changed in the middle, trimmed, moved, removed, renamed, copied, expired
/// and evicted by several threads, with elements that prove themselves.
/// </summary>
/// <remarks>
/// An element is its thread, its ticket, and a filling that follows from these. To lists with even numbers, elements
/// are only added at the right end, each thread's by ascending tickets: so in each list those of one thread ascend,
/// whatever is removed, and wherever the list is renamed or copied to.
/// </remarks>
internal sealed class ElementTorture(CacheStore store, int keys, int seed)
{
    private const int HeaderSize = 2 * sizeof(int);
    private const int ShortMax = 60;

    // One of so many elements is too long for a page.
    private const int LongEvery = 41;
    private const int LongMin = 1_300;
    private const int LongRange = 4_000;

    private readonly ThreadLocal<Random> _random = new(() => new Random(seed + Environment.CurrentManagedThreadId));
    private readonly ThreadLocal<int> _ticket = new();
    private long _hits;
    private long _large;

    /// <summary>How often elements were read.</summary>
    public long Hits => Volatile.Read(ref _hits);

    /// <summary>How often a whole list was read that no record could hold.</summary>
    public long Large => Volatile.Read(ref _large);

    /// <summary>Runs some operations.</summary>
    /// <exception cref="InvalidDataException">What was read was never written, or is not in its order.</exception>
    public void Run(int operations)
    {
        var random = _random.Value!;
        for (int i = 0; i < operations; i++)
        {
            int number = random.Next(keys);
            byte[] key = KeyOf(number);
            if (random.Next(60) == 0)
                ChangeKey(random, number, key);
            else if (number % 2 == 0)
                RunQueue(random, store.List(key));
            else
                RunAny(random, store.List(key));
        }
    }

    private static byte[] KeyOf(int number) => BitConverter.GetBytes(number);

    private void ChangeKey(Random random, int number, byte[] key)
    {
        byte[] other = KeyOf(random.Next(keys / 2) * 2 + number % 2);
        switch (random.Next(10))
        {
            case 0:
                store.Remove(key);
                break;
            case 1:
                store.Set(key, "a string"u8);
                break;
            case < 5:
                store.Rename(key, other, SetCondition.Always);
                break;
            case < 8:
                store.Copy(key, store, other, SetCondition.Always);
                break;
            default:
                store.Expire(key, store.NowMs + random.Next(keys < 100 ? 50 : 500), ExpireConditions.None);
                break;
        }
    }

    private void RunQueue(Random random, ListKey list)
    {
        switch (random.Next(100))
        {
            case < 40:
                var some = new KeyArray([.. Enumerable.Range(0, random.Next(1, 60)).Select(_ => Next())]);
                list.PushMany(ListEnd.Right, ref some, SetCondition.Always, out _);
                break;
            case < 55:
                Check(list.PopArray(ListEnd.Left));
                break;
            case < 60:
                var popped = new CheckingSink(isOrdered: true);
                list.PopMany(ListEnd.Left, random.Next(1, 129), ref popped); // A step: the key may get another list.
                break;
            case < 65:
                Check(list.PopArray(ListEnd.Right));
                break;
            case < 68:
                list.Trim(random.Next(200), -random.Next(1, 200));
                break;
            case < 72:
                if (list.GetArray(random.Next(1_500)) is { } element)
                    list.Remove(element, random.Next(-1, 2), out _);
                break;
            case < 85:
                Check(list.GetArray(random.Next(-1_000, 1_000)));
                break;
            default:
                Read(random, list, isOrdered: true);
                break;
        }
    }

    private void RunAny(Random random, ListKey list)
    {
        var end = random.Next(2) == 0 ? ListEnd.Left : ListEnd.Right;
        switch (random.Next(100))
        {
            case < 30:
                var some = new KeyArray([.. Enumerable.Range(0, random.Next(1, 60)).Select(_ => Next())]);
                list.PushMany(end, ref some, SetCondition.Always, out _);
                break;
            case < 40:
                var popped = new CheckingSink(isOrdered: false);
                list.PopMany(end, random.Next(1, 200), ref popped);
                break;
            case < 50:
                list.Set(random.Next(500), Next());
                break;
            case < 58:
                if (list.GetArray(random.Next(1_500)) is { } pivot)
                    list.InsertAfter(pivot, Next(), out _);
                break;
            case < 64:
                if (list.GetArray(random.Next(1_500)) is { } element)
                    list.Remove(element, random.Next(-1, 2), out _);
                break;
            case < 74:
                var moved = default(ArraySink);
                byte[] other = KeyOf(random.Next(keys / 2) * 2 + 1);
                if (list.Move(end, other, random.Next(2) == 0 ? ListEnd.Left : ListEnd.Right, ref moved)
                    == WriteStatus.Done)
                {
                    Check(moved.Array);
                }

                break;
            case < 76:
                list.Trim(random.Next(200), -random.Next(1, 200));
                break;
            case < 88:
                Check(list.GetArray(random.Next(-1_000, 1_000)));
                break;
            default:
                Read(random, list, isOrdered: false);
                break;
        }
    }

    private void Read(Random random, ListKey list, bool isOrdered)
    {
        var sink = new CheckingSink(isOrdered);
        bool isAll = random.Next(3) == 0;
        int first = isAll ? 0 : random.Next(-500, 500);
        if (list.GetRange(first, isAll ? -1 : first + random.Next(200), ref sink) != ReadStatus.Found)
            return;
        if (sink.Left != 0)
            throw new InvalidDataException($"{sink.Left} elements are missing.");
        Interlocked.Increment(ref _hits);
        if (isAll && sink.Bytes > 4096)
            Interlocked.Increment(ref _large);
    }

    private void Check(byte[]? element)
    {
        if (element is null)
            return;
        Interlocked.Increment(ref _hits);
        CheckOne(element, out _);
    }

    private byte[] Next()
    {
        int thread = Environment.CurrentManagedThreadId, ticket = ++_ticket.Value;
        byte[] element = new byte[LengthOf(ticket)];
        BinaryPrimitives.WriteInt32LittleEndian(element, thread);
        BinaryPrimitives.WriteInt32LittleEndian(element.AsSpan(sizeof(int)), ticket);
        for (int i = HeaderSize; i < element.Length; i++)
            element[i] = Filling(thread, ticket, i);
        return element;
    }

    private static int LengthOf(int ticket) => HeaderSize + (ticket % LongEvery == 0
        ? LongMin + ticket % LongRange
        : ticket % ShortMax);

    private static byte Filling(int thread, int ticket, int index) => (byte)(thread * 31 + ticket * 13 + index);

    private static int CheckOne(ReadOnlySpan<byte> element, out int thread)
    {
        if (element.Length < HeaderSize)
            throw new InvalidDataException($"An element has {element.Length} bytes.");
        thread = BinaryPrimitives.ReadInt32LittleEndian(element);
        int ticket = BinaryPrimitives.ReadInt32LittleEndian(element[sizeof(int)..]);
        if (element.Length != LengthOf(ticket))
            throw new InvalidDataException("An element has another's length.");
        for (int i = HeaderSize; i < element.Length; i++)
        {
            if (element[i] != Filling(thread, ticket, i))
                throw new InvalidDataException("An element is torn.");
        }

        return ticket;
    }

    private struct CheckingSink(bool isOrdered) : IElementSink
    {
        private readonly Dictionary<int, int> _last = [];

        public readonly bool IsFull => false;

        public long Left { get; private set; }

        public long Bytes { get; private set; }

        public void Begin(long count) => Left = count;

        public void Take(scoped ReadOnlySpan<byte> element)
        {
            Left--;
            Bytes += element.Length;
            int ticket = CheckOne(element, out int thread);
            if (isOrdered && _last.TryGetValue(thread, out int before) && before >= ticket)
                throw new InvalidDataException($"Element {ticket} of a thread is behind {before}.");
            _last[thread] = ticket;
        }
    }
}
