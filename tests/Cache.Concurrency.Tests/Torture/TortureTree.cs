using System.Buffers.Binary;
using System.Diagnostics;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// A tree under a version, as a collection has it: one writer at a time, readers without a lock, elements that prove
/// themselves.
/// </summary>
/// <remarks>
/// An element's name tells its number, which tells its key; the value tells number, sequence and length, and each
/// byte follows from these. Even numbers are always there, odd ones come and go. Pages are shared with other trees, so
/// that what a writer gives back soon has other bytes.
/// </remarks>
internal sealed class TortureTree<TOrder>
    where TOrder : struct, ITreeOrder
{
    public const int Numbers = 1_200;
    public const int BytesMax = 64 << 10; // What a torn length may ask for.

    private const int NameHead = 4;
    private const int ValueHead = 12;
    private const int ValueLengthMax = 900;

    private readonly TreePages _pages;
    private readonly TreeGraveyard _graveyard;
    private readonly int[] _completed = new int[Numbers]; // The newest sequence that is surely there.
    private readonly int[] _sequences = new int[Numbers]; // The writer's.
    private TreeRoot _root;
    private TreeEpochs _epochs;
    private uint _version;

    public TortureTree(TreePages pages, TreeGraveyard graveyard)
    {
        _pages = pages;
        _graveyard = graveyard;
        for (int number = 0; number < Numbers; number += 2)
            Write(number, new Random(number));
    }

    public long Moved { get; private set; }

    public static ulong KeyOf(int number) => TOrder.KeySize == sizeof(uint)
        ? (uint)(number / 3) * 2654435761 >> 32 ^ (uint)(number / 3) << 20 // Three have one hash.
        : (ulong)(number / 5) << 40;

    public static byte[] NameOf(int number)
    {
        byte[] name = new byte[NameHead + number % 40];
        BinaryPrimitives.WriteInt32BigEndian(name, number);
        name.AsSpan(NameHead).Fill((byte)number);
        return name;
    }

    /// <summary>The newest sequence of an element that a reader must find from now on; 0: it may be missing.</summary>
    public int OldestOf(int number) => number % 2 == 0 ? Volatile.Read(ref _completed[number]) : 0;

    /// <summary>Reads between two looks at the version, until they are the same, or once without.</summary>
    public bool TryRead<TState>(bool validates, ref TState state, Reading<TState> read)
        where TState : allows ref struct
    {
        for (int attempt = 0; attempt < 1_000; attempt++)
        {
            uint version = Volatile.Read(ref _version);
            if ((version & 1) != 0 && validates)
            {
                Thread.Yield();
                continue;
            }

            var root = _root;
            read(new TreeReader<TOrder>(_pages.Addresses, root.Page), root.Count, ref state);
            Volatile.ReadBarrier();
            if (!validates || Volatile.Read(ref _version) == version)
                return true;
        }

        return false;
    }

    public delegate void Reading<TState>(TreeReader<TOrder> reader, uint count, ref TState state)
        where TState : allows ref struct;

    /// <summary>One change, of many kinds.</summary>
    public void Change(Random random)
    {
        int number = random.Next(Numbers);
        switch (random.Next(100))
        {
            case < 70:
                Write(number, random);
                break;
            case < 96:
                Lock();
                number |= 1;
                Assert.NotEqual(TreeChange.NoRoom, Writer.Remove(KeyOf(number), NameOf(number)));
                Unlock();
                break;
            case < 98:
                _pages.ChooseVictims(0.9, slabsMax: 50);
                Move();
                break;
            default:
                Rebuild();
                break;
        }

        _graveyard.Step();
    }

    /// <summary>Takes a snapshot, reads all of it while others write, and ends it.</summary>
    public void ReadSnapshot()
    {
        Lock();
        bool isTaken = TreeSnapshots.TryTake(_pages, ref _epochs, 1, out uint snapshot);
        var root = _root;
        Unlock();
        Assert.True(isTaken);
        var cursor = new TreeReader<TOrder>(_pages.Addresses, root.Page).At(0);
        uint count = 0;
        int last = -1;
        for (; cursor.IsValid; cursor.MoveNext(), count++)
        {
            int number = Verify(cursor.Key, cursor.Entry, out _);
            if (number < 0 || (last >= 0 && !IsBefore(last, number)))
                throw new InvalidDataException($"A snapshot has {number} behind {last}.");
            last = number;
        }

        Assert.Equal(root.Count, count);
        Lock();
        bool more = TreeSnapshots.Release(_pages, ref _epochs, _graveyard, snapshot);
        Unlock();
        while (more)
        {
            Lock();
            more = TreeSnapshots.TrySettle(_pages, in _epochs, _graveyard);
            Unlock();
        }
    }

    /// <summary>The number of an element, if key, name and value are its; else -1.</summary>
    public static int Verify(ulong key, in TreeEntry entry, out int sequence)
    {
        sequence = 0;
        if (entry.Name.Length < NameHead || entry.Value.Length < ValueHead)
            return -1;
        int number = BinaryPrimitives.ReadInt32BigEndian(entry.Name);
        sequence = BinaryPrimitives.ReadInt32LittleEndian(entry.Value[4..]);
        bool isWhole = (uint)number < Numbers && key == KeyOf(number) && entry.Name.SequenceEqual(NameOf(number))
            && BinaryPrimitives.ReadInt32LittleEndian(entry.Value) == number
            && BinaryPrimitives.ReadInt32LittleEndian(entry.Value[8..]) == entry.Value.Length;
        if (!isWhole)
            return -1;
        for (int i = ValueHead; i < entry.Value.Length; i++)
        {
            if (entry.Value[i] != (byte)(number + sequence * 31 + i))
                return -1;
        }

        return number;
    }

    public static bool IsBefore(int number, int other) =>
        KeyOf(number) != KeyOf(other) ? KeyOf(number) < KeyOf(other) : number < other;

    /// <summary>Nobody uses it any more: it is whole, and goes without a rest.</summary>
    public void End()
    {
        new TreeAudit<TOrder>(_pages).Check(in _root);
        Assert.Equal(0u, _epochs.Newest);
        _graveyard.Bury<TOrder>(ref _root);
    }

    private TreeWriter<TOrder> Writer => new(_pages, ref _root, ref _epochs, 1);

    private void Write(int number, Random random)
    {
        int sequence = ++_sequences[number];
        byte[] value = new byte[random.Next(3) == 0 ? ValueHead + random.Next(ValueLengthMax) : ValueHead + 20];
        BinaryPrimitives.WriteInt32LittleEndian(value, number);
        BinaryPrimitives.WriteInt32LittleEndian(value.AsSpan(4), sequence);
        BinaryPrimitives.WriteInt32LittleEndian(value.AsSpan(8), value.Length);
        for (int i = ValueHead; i < value.Length; i++)
            value[i] = (byte)(number + sequence * 31 + i);
        Lock();
        var change = Writer.Set(KeyOf(number), new TreeEntry(NameOf(number), value));
        Unlock();
        Assert.NotEqual(TreeChange.NoRoom, change);
        Volatile.Write(ref _completed[number], sequence);
    }

    private void Move()
    {
        Span<uint> pages = stackalloc uint[TreePages.SlabGrains];
        Lock();
        for (int slab = _pages.FirstVictim; slab != 0;)
        {
            int count = _pages.ReadVictim(slab, pages, out slab);
            foreach (uint page in pages[..count])
                Moved += Writer.TryMove(page) ? 1 : 0;
        }

        Unlock();
        _pages.ReleaseVictims();
    }

    // The same elements in new pages; the former ones go.
    private void Rebuild()
    {
        var builder = new TreeBuilder<TOrder>(_pages, 1);
        for (var cursor = new TreeReader<TOrder>(_pages.Addresses, _root.Page).At(0); cursor.IsValid; cursor.MoveNext())
            Assert.True(builder.TryAdd(cursor.Key, cursor.Entry));
        Lock();
        if (_epochs.Newest != 0) // The former pages belong to a snapshot.
        {
            Unlock();
            builder.Abandon(_graveyard);
            return;
        }

        var former = _root;
        _root = default;
        builder.Finish(ref _root);
        Unlock();
        _graveyard.Bury<TOrder>(ref former);
    }

    private void Lock()
    {
        for (var spin = new SpinWait(); ; spin.SpinOnce())
        {
            uint version = Volatile.Read(ref _version);
            if ((version & 1) == 0 && Interlocked.CompareExchange(ref _version, version + 1, version) == version)
                return;
        }
    }

    private void Unlock()
    {
        Debug.Assert((_version & 1) != 0);
        Volatile.Write(ref _version, _version + 1);
    }
}
