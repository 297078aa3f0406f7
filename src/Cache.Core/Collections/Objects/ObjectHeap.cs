using System.Diagnostics;
using Cache.Core.Collections.Trees;
using Cache.Core.Expiry;
using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Collections.Objects;

/// <summary>A store's large collections: objects, pages, and what waits for being freed. Thread-safe.</summary>
/// <remarks>
/// A collection is one object, which the record of its key names by a stub. Who changes it holds the object, and no
/// bucket: so a long write keeps no other key waiting. Who holds an object waits for nothing but gates of the pages.
/// Slabs of pages and the table count against the store's limit as soon as they are taken.
/// </remarks>
internal sealed partial class ObjectHeap : IDisposable
{
    // Memory of slabs without pages that stays for the next ones.
    private const long KeptSpareBytes = 16L * TreePages.SlabLength;

    // So many pages of each length are kept by each stripe of threads.
    private const int CachedPages = 4;

    // Above this, huge pages pay; as for the index.
    private const long HugePagesMin = 64 << 20;

    // An object has a page of 512 bytes at least.
    private const int BytesPerObjectMin = 8;

    private const int FirstMomentAttemptsMax = 8;

    // What a thread has taken for the pages of the write that it tries next; and whether that may pass the limit.
    [ThreadStatic]
    private static long _prepaidOfThread;

    [ThreadStatic]
    private static bool _overdrawsOfThread;

    private readonly MemoryBudget _budget;
    private readonly KeyedHash _hash;
    private readonly Func<long> _spareBytes;
    private readonly Func<long> _overdraftBytes;
    private long _accountedSlabs;

    // Objects that no key has yet, in all and of the thread; and threads that free pages now.
    private int _making;
    private int _freeing;

    [ThreadStatic]
    private static int _makingOfThread;

    // Set before the first object is held for ever; asked by who waits for one.
    private volatile bool _isClosed;
    private long _count;
    private ulong _loadedChange;

    /// <param name="limitBytes">The store's limit.</param>
    /// <param name="addressBytes">The addresses that the pages may have.</param>
    /// <param name="budget">Pays for slabs and table.</param>
    /// <param name="hash">Orders the names.</param>
    /// <param name="spareBytes">What a write leaves of the limit.</param>
    /// <param name="overdraftBytes">By how much a removal may pass it.</param>
    /// <param name="heap">The memory of long values.</param>
    /// <param name="keepWithinLimit">Gives memory of other things back, as much as a long value takes.</param>
    /// <param name="fields">By which fields of hashes expire.</param>
    public ObjectHeap(
        long limitBytes, long addressBytes, MemoryBudget budget, KeyedHash hash, Func<long> spareBytes,
        Func<long> overdraftBytes, PageHeap heap, Action<long> keepWithinLimit, FieldClock fields)
    {
        Fields = fields;
        (_budget, _hash, _spareBytes, _overdraftBytes) = (budget, hash, spareBytes, overdraftBytes);
        var slabBudget = new SlabBudget(TryPay, bytes => _budget.Add(-bytes));
        LongElements = new LongElements(heap, slabBudget, keepWithinLimit);
        Table = new ObjectTable(limitBytes / BytesPerObjectMin, Math.Max(limitBytes, addressBytes) / BytesPerObjectMin);
        Pages = new TreePages(
            limitBytes, Math.Max(limitBytes, addressBytes), slabBudget, CachedPages,
            hugePages: limitBytes >= HugePagesMin)
        {
            Stubs = LongElements,
        };
        Graveyard = new TreeGraveyard(Pages);
    }

    public ObjectTable Table { get; }

    /// <summary>By which fields of hashes expire.</summary>
    public FieldClock Fields { get; }

    /// <summary>Beyond which a collection is noted as one that Redis converts.</summary>
    public Func<EncodingLimits> EncodingLimits { get; init; } = static () => new EncodingLimits();

    public TreePages Pages { get; }

    /// <summary>Values that are too long for pages.</summary>
    public LongElements LongElements { get; }

    /// <summary>Trees that nothing refers to any more.</summary>
    public TreeGraveyard Graveyard { get; }

    /// <summary>
    /// What counts against the limit, but for the table, and for what writers are about to give to trees.
    /// </summary>
    public long UsedBytes => Pages.UsedBytes + LongElements.Bytes - LongElements.OwnedBytes;

    /// <summary>The part of it that segments count for their records.</summary>
    public long AccountedBytes => Interlocked.Read(ref _accountedSlabs) * TreePages.SlabLength;

    /// <summary>The collections that keys have.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>
    /// The greatest number of a list's change that was loaded; lists that become large begin above it.
    /// </summary>
    public ulong LoadedChange => Volatile.Read(ref _loadedChange);

    /// <summary>What the thread has taken for its next write and not used.</summary>
    public static long PrepaidBytes => _prepaidOfThread;

    /// <summary>The hash of a name by which the trees are ordered.</summary>
    public uint HashOf(ReadOnlySpan<byte> name) => (uint)(_hash.Hash(name) >> 32);

    /// <summary>What an object has, which the caller holds.</summary>
    public ObjectView ViewOf(in ObjectInfo info) =>
        new(this, number: 0, info.Kind, info.First, info.Second, info.IsConverted);

    /// <summary>The same, or what a reader that holds nothing finds.</summary>
    public ObjectView ViewOf(uint number)
    {
        ref var info = ref Table[number];
        return new ObjectView(this, number: 0, info.Kind, info.First, info.Second, info.IsConverted);
    }

    /// <summary>Notes the number of a list's change that was loaded.</summary>
    public void NoteLoaded(ulong change)
    {
        ulong before = LoadedChange;
        while (before < change)
        {
            ulong seen = Interlocked.CompareExchange(ref _loadedChange, change, before); // Others load too.
            if (seen == before)
                return;
            before = seen;
        }
    }

    /// <summary>Whether a stub stands for the collection that its number is used for.</summary>
    public bool IsCurrent(ObjectStub stub)
    {
        ref var info = ref Table[stub.Number];
        return info.Generation == stub.Generation && info.State == ObjectState.Used;
    }

    /// <summary>Adds bytes of the budget, which the caller has taken, to what the thread's next write uses.</summary>
    public static void Prepay(long bytes) => _prepaidOfThread += bytes;

    /// <summary>Gives back what the thread's writes did not use.</summary>
    public void EndPrepaid()
    {
        long bytes = _prepaidOfThread;
        _prepaidOfThread = 0;
        if (bytes != 0)
            _budget.Add(-bytes);
    }

    /// <summary>Lets the thread pass the limit, to undo what it did: no further than it had been.</summary>
    /// <returns>What <see cref="EndOverdraft"/> restores.</returns>
    public static bool BeginOverdraft()
    {
        bool before = _overdrawsOfThread;
        _overdrawsOfThread = true;
        return before;
    }

    public static void EndOverdraft(bool before) => _overdrawsOfThread = before;

    /// <summary>The objects that no key has yet.</summary>
    public int Making => Volatile.Read(ref _making);

    /// <summary>Of these, the thread's.</summary>
    public static int MakingOfThread => _makingOfThread;

    /// <summary>The version of an object once no writer is inside.</summary>
    /// <remarks>
    /// A thread that holds the home of its key knows then that nobody changes it: who comes later asks for the home.
    /// </remarks>
    public uint SettledVersionOf(uint number)
    {
        var wait = default(SpinWait);
        uint version;
        while (ObjectTable.IsChanging(version = Table.ReadVersion(number)) && !_isClosed)
            wait.SpinOnce(sleep1Threshold: -1); // Its holder runs a bounded step.
        return version;
    }

    /// <summary>
    /// The first moment at which a field of an object expires, which the thread does not hold; 0: none does.
    /// </summary>
    /// <remarks>Of one that is written all the time 1, so that it is asked again.</remarks>
    public long FirstMomentOf(uint number)
    {
        for (int attempts = 0; attempts < FirstMomentAttemptsMax; attempts++)
        {
            uint version = SettledVersionOf(number);
            long firstMs = ViewOf(number).FirstMoment;
            if (Table.IsAt(number, version))
                return firstMs;
        }

        return 1;
    }

    /// <summary>Tells that a key has the object that this thread has made.</summary>
    public void EndMaking()
    {
        _makingOfThread--;
        Interlocked.Decrement(ref _making);
    }

    /// <summary>Gives back an object that no key has.</summary>
    public void Discard(ObjectStub stub)
    {
        Retire(stub);
        EndMaking(); // Last: an audit must see its pages here, or in the graveyard.
    }

    /// <summary>Makes an object that nothing refers to yet.</summary>
    /// <remarks><see cref="EndMaking"/> or <see cref="Discard"/> follows.</remarks>
    /// <returns>False if there is no room for it; what is missing is one number of the table.</returns>
    public bool TryCreate(EntryKind kind, out ObjectStub stub)
    {
        stub = default;
        long paid = Table.NextBytes;
        if (paid != 0 && !TryPay(paid, mayOverdraw: false))
            return false;
        bool isTaken = Table.TryTake(ref paid, out uint number);
        if (paid != 0)
            _budget.Add(-paid);
        if (!isTaken)
            return false;
        ref var info = ref Table[number];
        info.Kind = kind;
        info.State = ObjectState.Used;
        info.Generation = Math.Max(1, info.Generation + 1);
        (info.Snapshots, info.AccountedSlabs) = (0, 0);
        (info.First, info.Second, info.Epochs) = (default, default, default);
        stub = new ObjectStub(number, info.Generation);
        Interlocked.Increment(ref _count);
        Interlocked.Increment(ref _making);
        _makingOfThread++;
        return true;
    }

    /// <summary>Ends a collection: the key's record, or the only reference to a new object, is gone.</summary>
    /// <remarks>Waits for who holds the object. Pages go back in steps, by the graveyard.</remarks>
    public void Retire(ObjectStub stub)
    {
        Debug.Assert(!stub.IsNone);
        if (!TryHold(stub.Number, out uint version))
            return; // All of it goes.
        ref var info = ref Table[stub.Number];
        bool isOver = false;
        if (IsCurrent(stub)) // Not where the memory was given back meanwhile.
        {
            info.Generation++;
            info.State = ObjectState.Retired;
            Interlocked.Decrement(ref _count);
            isOver = TryBury(ref info);
        }

        LetGo(stub.Number, version, isOver);
    }

    /// <summary>Takes a snapshot; <see cref="EndSnapshot"/> ends it.</summary>
    /// <returns>False if the object is another's by now, or there is no page.</returns>
    public bool TryTakeSnapshot(ObjectStub stub, out ObjectView view, out uint snapshot)
    {
        uint version = Hold(stub.Number);
        bool isTaken = TryTakeSnapshotHeld(stub, out view, out snapshot);
        Table.LetGo(stub.Number, version, isChanged: false); // Readers see the same trees.
        return isTaken;
    }

    /// <summary>The same; the caller holds the object.</summary>
    public bool TryTakeSnapshotHeld(ObjectStub stub, out ObjectView view, out uint snapshot)
    {
        snapshot = 0;
        ref var info = ref Table[stub.Number];
        view = new ObjectView(this, stub.Number, info.Kind, info.First, info.Second, info.IsConverted);
        bool isTaken = IsCurrent(stub) && TreeSnapshots.TryTake(Pages, ref info.Epochs, stub.Number, out snapshot);
        info.Snapshots += isTaken ? 1U : 0;
        return isTaken;
    }

    /// <summary>Ends a snapshot; of a collection that has gone, the last one frees its pages.</summary>
    public void EndSnapshot(ObjectStub stub, uint snapshot)
    {
        if (!TryHold(stub.Number, out uint version))
            return;
        ref var info = ref Table[stub.Number];
        if (info.Snapshots == 0) // The memory was given back.
        {
            Table.LetGo(stub.Number, version, isChanged: false);
            return;
        }

        bool isMore = TreeSnapshots.Release(Pages, ref info.Epochs, Graveyard, snapshot);
        while (isMore)
        {
            Table.LetGo(stub.Number, version, isChanged: false);
            if (!TryHold(stub.Number, out version))
                return;
            isMore = TreeSnapshots.TrySettle(Pages, in info.Epochs, Graveyard);
        }

        info.Snapshots--;
        LetGo(stub.Number, version, isOver: info.State == ObjectState.Retired && TryBury(ref info), isChanged: false);
    }

    /// <summary>Holds an object, to change it, or only to keep others from that.</summary>
    /// <exception cref="ObjectDisposedException">The holder is the disposal, which never lets go.</exception>
    public uint Hold(uint number, bool mayChange = true)
    {
        if (!TryHold(number, out uint version, mayChange))
            ThrowDisposed();
        return version;
    }

    /// <summary>Holds objects for ever, from a number on: no writer is inside any more.</summary>
    /// <returns>False if one is held by another thread; then number is its.</returns>
    public bool TryClose(ref uint number)
    {
        _isClosed = true;
        Interlocked.MemoryBarrier(); // A thread that frees has said so, or sees that it is closed.
        if (Volatile.Read(ref _freeing) != 0)
            return false;
        for (uint end = Table.Frontier; number < end; number++)
        {
            if (!Table.TryHold(number, mayChange: true, out _))
                return false;
        }

        return true;
    }

    /// <summary>The slabs that its key's segment counts for an object, in bytes.</summary>
    public long AccountedBytesOf(ObjectStub stub) =>
        stub.IsNone ? 0 : Table[stub.Number].AccountedSlabs * (long)TreePages.SlabLength;

    /// <summary>Whether the segment counts a slab or more too much or too little.</summary>
    public bool MustAccount(uint number)
    {
        ref var info = ref Table[number];
        return info.AccountedSlabs != SlabsOf(info);
    }

    /// <summary>Counts an object anew; the caller holds the home of its key.</summary>
    /// <returns>The bytes that the segment counts more.</returns>
    public long Account(ObjectStub stub)
    {
        ref var info = ref Table[stub.Number];
        int change = SlabsOf(info) - info.AccountedSlabs;
        info.AccountedSlabs = (ushort)(info.AccountedSlabs + change);
        Interlocked.Add(ref _accountedSlabs, change);
        return change * (long)TreePages.SlabLength;
    }

    /// <summary>Ends the accounting of an object whose record goes; the caller holds the home.</summary>
    /// <returns>The bytes that the segment has counted.</returns>
    public long EndAccounting(ObjectStub stub)
    {
        long bytes = AccountedBytesOf(stub);
        Interlocked.Add(ref _accountedSlabs, -(bytes / TreePages.SlabLength));
        Table[stub.Number].AccountedSlabs = 0;
        return bytes;
    }

    /// <summary>Frees some pages of trees that have gone.</summary>
    /// <param name="pagesMax">How many, about.</param>
    /// <returns>False if there were none.</returns>
    public bool TryFree(int pagesMax = TreeGraveyard.StepPages)
    {
        if (Graveyard.Count == 0)
            return false;
        Interlocked.Increment(ref _freeing);
        try
        {
            if (_isClosed)
                return false;
            if (!Graveyard.Step(pagesMax) && Graveyard.Count != 0)
                Thread.Yield(); // Another thread frees the last ones.
            return true;
        }
        finally
        {
            Interlocked.Decrement(ref _freeing);
        }
    }

    /// <summary>Frees what waits, and gives unused memory back to the system.</summary>
    public void Sweep()
    {
        while (TryFree())
        {
        }

        EmptySlabs();
        while (Pages.DropSpare(KeptSpareBytes, slabsMax: 64) != 0)
        {
        }
    }

    /// <summary>Releases what stubs in pages stand for; all objects are held, and nothing is freed.</summary>
    /// <remarks>Also those of snapshots, whose ends do nothing any more. A reader has its own reference.</remarks>
    public void ReleaseStubs()
    {
        if (LongElements.Bytes == 0)
            return;
        Pages.FlushCaches();
        for (uint page = 0; Pages.TryFindOut(ref page);)
            LeafStubs.Release(Pages, page);
    }

    public void Dispose()
    {
        Pages.Dispose();
        Table.Dispose();
    }

    // Its holder runs a bounded step.
    private bool TryHold(uint number, out uint version, bool mayChange = true)
    {
        var wait = default(SpinWait);
        while (!Table.TryHold(number, mayChange, out version))
        {
            if (_isClosed)
                return false;
            wait.SpinOnce(sleep1Threshold: -1);
        }

        if (!_isClosed)
            return true;
        Table.LetGo(number, version, isChanged: false); // What is given back is zeros, and free for late writers.
        return false;
    }

    private static void ThrowDisposed() => throw new ObjectDisposedException("CacheStore");

    private static int SlabsOf(in ObjectInfo info) =>
        (int)Math.Min(ushort.MaxValue, info.PageBytes / TreePages.SlabLength);

    // The number is another's as soon as it is given back.
    private void LetGo(uint number, uint version, bool isOver, bool isChanged = true)
    {
        Table.LetGo(number, version, isChanged);
        if (!isOver)
            return;
        Table.Give(number);
        TryFree(TreeGraveyard.RemovalPages);
    }

    private bool TryBury(ref ObjectInfo info)
    {
        if (info.Snapshots != 0)
            return false;
        BuryTrees(ref info);
        return true;
    }
}
