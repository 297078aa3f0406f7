using System.Buffers.Binary;
using Cache.Core;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Streams that are read, appended to, trimmed, removed, overwritten, renamed, copied, expired, cleared and evicted by
/// several threads, with groups whose consumers read, acknowledge, claim and go; entries prove themselves.
/// </summary>
/// <remarks>
/// The first value of an entry has a number, from which its fields and the rest of its values follow; so an entry of
/// another moment, or with the fields of another, is found. What a snapshot tells of a stream must agree with itself.
/// </remarks>
internal sealed class StreamTorture(CacheStore store, int keys, int seed)
{
    private const int Groups = 2;
    private const int Consumers = 3;
    private const int Shapes = 3;

    // One of so many values is too long for a page.
    private const int LongEvery = 41;
    private const int LongMin = 1_300;
    private const int LongRange = 5_000;
    private const int ShortMax = 60;

    private static readonly byte[][] _names = ["n"u8.ToArray(), "second"u8.ToArray(), new byte[200]];

    private readonly ThreadLocal<Worker> _worker =
        new(() => new Worker(new Random(seed + Environment.CurrentManagedThreadId)));

    private long _entries;
    private long _snapshots;
    private long _delivered;

    /// <summary>Entries that were read.</summary>
    public long Entries => Volatile.Read(ref _entries);

    /// <summary>Streams that were looked through.</summary>
    public long Snapshots => Volatile.Read(ref _snapshots);

    /// <summary>Entries that consumers got.</summary>
    public long Delivered => Volatile.Read(ref _delivered);

    /// <summary>Runs some operations.</summary>
    /// <exception cref="InvalidDataException">What was read was never written, or does not agree.</exception>
    public void Run(int operations)
    {
        var worker = _worker.Value!;
        for (int i = 0; i < operations; i++)
        {
            byte key = (byte)worker.Random.Next(keys);
            RunOne(worker, key, store.Stream([key]));
        }
    }

    private void RunOne(Worker worker, byte key, StreamKey stream)
    {
        var random = worker.Random;
        switch (random.Next(1_000))
        {
            case < 300:
                Append(random, stream);
                break;
            case < 330:
                stream.Trim(TrimOf(random), out _);
                break;
            case < 380:
                stream.Remove(worker.SomeIds(), out _);
                break;
            case < 560:
                ReadRange(worker, stream);
                break;
            case < 580:
                LookThrough(stream);
                break;
            case < 600:
                ChangeGroup(random, stream);
                break;
            case < 700:
                ReadGroup(worker, stream);
                break;
            case < 780:
                stream.Acknowledge(Group(random), worker.SomeIds(), out _);
                break;
            case < 830:
                Claim(worker, stream);
                break;
            default:
                ChangeKey(random, key, stream);
                break;
        }
    }

    private void ChangeKey(Random random, byte key, StreamKey stream)
    {
        switch (random.Next(170))
        {
            case < 2:
                store.Remove([key]);
                break;
            case 2:
                store.Set([key], "a string"u8);
                break;
            case < 6:
                store.Rename([key], [(byte)random.Next(keys)], SetCondition.Always);
                break;
            case < 10:
                store.Copy([key], store, [(byte)random.Next(keys)], SetCondition.Always);
                break;
            case < 13:
                store.Expire([key], store.NowMs + random.Next(20), ExpireConditions.None);
                break;
            case 13 when random.Next(10) == 0:
                store.Clear();
                break;
            default:
                stream.GetInfo(out var info);
                if (info.FirstId > info.LastEntryId || info.LastEntryId > info.LastId)
                    throw new InvalidDataException($"{info.FirstId} to {info.LastEntryId} of {info.LastId}");
                break;
        }
    }

    private static void Append(Random random, StreamKey stream)
    {
        var fields = new Entry(random.Next());
        var options = new StreamAppend { Trim = random.Next(20) == 0 ? TrimOf(random) : null };
        stream.Append(ref fields, options, out _);
    }

    private static StreamTrim TrimOf(Random random) =>
        new() { MaxLength = random.Next(800), IsApproximate = random.Next(2) == 0 };

    private void ReadRange(Worker worker, StreamKey stream)
    {
        var random = worker.Random;
        bool isReversed = random.Next(3) == 0;
        long count = random.Next(3) == 0 ? long.MaxValue : random.Next(1, 20);
        var from = random.Next(2) == 0 ? StreamId.Zero : worker.SomeId();
        var sink = new EntrySink(worker, isReversed);
        if (stream.GetRange(from, StreamId.Max, count, isReversed, ref sink) != ReadStatus.Found)
            return;
        if (sink.Left != 0 || sink.Count > count)
            throw new InvalidDataException($"{sink.Left} entries are missing of {sink.Count}.");
        Interlocked.Add(ref _entries, sink.Count);
    }

    private void ReadGroup(Worker worker, StreamKey stream)
    {
        var random = worker.Random;
        var options = new StreamGroupRead
        {
            Count = random.Next(3) == 0 ? 0 : random.Next(1, 30),
            After = random.Next(3) == 0 ? worker.SomeId() : null,
            IsAcknowledged = random.Next(10) == 0,
        };
        var sink = new EntrySink(worker, isReversed: false) { MayBeRemoved = options.After is not null };
        if (stream.ReadGroup(Group(random), Consumer(random), options, ref sink, out _) == WriteStatus.Done)
            Interlocked.Add(ref _delivered, sink.Count);
    }

    private static void Claim(Worker worker, StreamKey stream)
    {
        var random = worker.Random;
        var options = new StreamClaim { IsForced = random.Next(4) == 0 };
        var sink = new EntrySink(worker, isReversed: false) { IsUnordered = true };
        if (random.Next(2) == 0)
        {
            stream.Claim(Group(random), Consumer(random), options, worker.SomeIds(), ref sink, out _);
            return;
        }

        stream.AutoClaim(
            Group(random), Consumer(random), options, worker.SomeId(), random.Next(1, 300), new StreamClaimed(),
            ref sink, out _);
    }

    private static void ChangeGroup(Random random, StreamKey stream)
    {
        switch (random.Next(10))
        {
            case 0:
                stream.RemoveGroup(Group(random), out _);
                break;
            case < 3:
                stream.RemoveConsumer(Group(random), Consumer(random), out _, out _);
                break;
            case 3:
                stream.SetGroupId(Group(random), new StreamGroupOptions { LastDeliveredId = StreamId.Zero }, out _);
                break;
            default:
                var options = new StreamGroupOptions { LastDeliveredId = StreamId.Zero, MakesStream = true };
                stream.CreateGroup(Group(random), options, out _);
                break;
        }
    }

    // One moment: all numbers agree.
    private void LookThrough(StreamKey stream)
    {
        using var snapshot = stream.TakeSnapshot(out var status);
        if (status != ReadStatus.Found)
            return;
        var sink = new EntrySink(new Worker(new Random(0)), isReversed: false);
        snapshot.GetRange(StreamId.Zero, StreamId.Max, long.MaxValue, isReversed: false, ref sink);
        if (sink.Count != snapshot.Info.Length || sink.Left != 0)
            throw new InvalidDataException($"{sink.Count} entries are counted as {snapshot.Info.Length}.");
        for (var groups = snapshot.GetGroups(); groups.MoveNext();)
        {
            long pending = 0, ofConsumers = 0;
            for (var each = snapshot.GetPending(groups.Name, StreamId.Zero); each.MoveNext(); pending++)
            {
                if (each.Consumer.IsEmpty)
                    throw new InvalidDataException($"{each.Current.Id} is pending, and nobody has it.");
            }

            for (var each = snapshot.GetConsumers(groups.Name); each.MoveNext();)
                ofConsumers += each.Current.Pending;
            if (groups.Current.Pending != pending || ofConsumers != pending)
                throw new InvalidDataException($"{pending} are counted as {groups.Current.Pending} and {ofConsumers}.");
        }

        Interlocked.Increment(ref _snapshots);
    }

    private static byte[] Group(Random random) => [(byte)'g', (byte)random.Next(Groups)];

    private static byte[] Consumer(Random random) => [(byte)'c', (byte)random.Next(Consumers)];

    /// <summary>What a thread has: random numbers, and ids that it has seen.</summary>
    private sealed class Worker(Random random)
    {
        private readonly StreamId[] _ids = new StreamId[200];
        private int _next;

        public Random Random => random;

        public void Note(StreamId id) => _ids[_next++ % _ids.Length] = id;

        public StreamId SomeId() => _ids[random.Next(_ids.Length)];

        public ReadOnlySpan<StreamId> SomeIds() => _ids.AsSpan(0, random.Next(1, _ids.Length));
    }

    private readonly struct Entry(int number) : IEntrySource
    {
        public int Count => number % Shapes == 1 ? 2 : 1;

        public ReadOnlySpan<byte> GetKey(int index) => NameOf(number, index);

        public ReadOnlySpan<byte> GetValue(int index)
        {
            byte[] value = new byte[LengthOf(number, index)];
            BinaryPrimitives.WriteInt32LittleEndian(value, number);
            for (int i = sizeof(int); i < value.Length; i++)
                value[i] = Filling(number, i);
            return value;
        }

        public static byte[] NameOf(int number, int index) => _names[number % Shapes == 2 ? 2 : index];

        public static int LengthOf(int number, int index) => sizeof(int) + index
            + (number % LongEvery == 0 ? LongMin + number % LongRange : number % ShortMax);

        public static byte Filling(int number, int index) => (byte)(number * 31 + index);
    }

    private struct EntrySink(Worker worker, bool isReversed) : IStreamSink
    {
        private StreamId _last;

        public readonly bool IsFull => false;

        public long Count { get; private set; }

        public long Left { get; private set; }

        /// <summary>Whether an entry may be told that is not there any more.</summary>
        public bool MayBeRemoved { get; init; }

        public bool IsUnordered { get; init; }

        public void Begin(long count) => Left = count;

        public void Take(StreamId id, scoped StreamFields fields)
        {
            Left--;
            if (!IsUnordered && Count != 0 && (isReversed ? id >= _last : id <= _last))
                throw new InvalidDataException($"{id} is told behind {_last}.");
            (_last, Count) = (id, Count + 1);
            worker.Note(id);
            if (fields.IsRemoved)
            {
                if (!MayBeRemoved)
                    throw new InvalidDataException($"{id} has no fields.");
                return;
            }

            int number = -1;
            for (int i = 0; fields.MoveNext(); i++)
            {
                if (fields.Value.Length < sizeof(int))
                    throw new InvalidDataException($"{id} has a value of {fields.Value.Length} bytes.");
                number = i == 0 ? BinaryPrimitives.ReadInt32LittleEndian(fields.Value) : number;
                Check(id, number, i, fields);
            }

            if (fields.Count != new Entry(number).Count)
                throw new InvalidDataException($"{id} has {fields.Count} fields.");
        }

        private static void Check(StreamId id, int number, int index, scoped in StreamFields fields)
        {
            if (number < 0 || BinaryPrimitives.ReadInt32LittleEndian(fields.Value) != number
                || !fields.Field.SequenceEqual(Entry.NameOf(number, index))
                || fields.Value.Length != Entry.LengthOf(number, index))
            {
                throw new InvalidDataException($"{id} has the field of another.");
            }

            for (int i = sizeof(int); i < fields.Value.Length; i++)
            {
                if (fields.Value[i] != Entry.Filling(number, i))
                    throw new InvalidDataException($"{id} has a torn value.");
            }
        }
    }
}
