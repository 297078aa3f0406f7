using System.Diagnostics;
using System.Numerics;
using Cache.Core.Changes;

namespace Cache.Core.Sharding;

/// <summary>The generation of each keyspace: makes a clear atomic.</summary>
/// <remarks>
/// Each slot of the index has the generation that its keyspace was in when the entry was written, and is found under
/// that generation alone. To clear a keyspace, a clear gives it another generation: operations no longer find entries
/// of the former one, which are freed later (<see cref="ClearedEntries"/>). All keyspaces' generations are one word, so
/// all can be cleared atomically too.
/// A writer reads the word while it holds the key's home bucket, or the homes of all its keys. So once a bucket was
/// free after a clear, no entry of the former generation is written there any more; a generation is used again after
/// all buckets were free, and none has an entry of it.
/// A reader reads the word once: a read that began before a clear may end as if before it. A reader of several keys
/// asks at the end whether there was a clear (<see cref="Mark"/>).
/// </remarks>
internal sealed class Generations
{
    /// <summary>The generations of a keyspace: a slot has three bits for them.</summary>
    public const int PerKeyspace = 8;

    private const int NumberMask = PerKeyspace - 1;

    // The distance of two keyspaces' numbers in the word.
    private const int NumberBits = 4;

    // Beside a keyspace's number: a clear of it is reserving room in the journal.
    private const ulong ClearingBit = PerKeyspace;

    private readonly Lock _gate = new();

    // Guarded by the gate: by keyspace, one bit for each generation that was cleared and not freed yet.
    private readonly byte[] _cleared = new byte[CacheOptions.KeyspaceCountMax];

    // Written under the gate; read by every operation.
    private ulong _word;

    // Of all keyspaces; written under the gate before the word.
    private long _clearCount;

    // One bit for each keyspace that was written since it was cleared; interlocked.
    private uint _written;

    // Written under the gate; read without: whether there is anything to free.
    private bool _hasCleared;

    public Generations()
    {
        // Keyspaces begin with different ones: most entries then tell without their record that they are not cleared.
        for (int keyspace = 0; keyspace < CacheOptions.KeyspaceCountMax; keyspace++)
            _word |= (ulong)(keyspace & NumberMask) << (keyspace * NumberBits);
    }

    /// <summary>All generations as of one moment.</summary>
    public ulong Word => Volatile.Read(ref _word);

    /// <summary>Whether entries wait for being freed.</summary>
    public bool HasCleared => Volatile.Read(ref _hasCleared);

    /// <summary>The present generation of a keyspace.</summary>
    public int Of(int keyspace) => Of(keyspace, Word);

    public static int Of(int keyspace, ulong word) => (int)(word >> (keyspace * NumberBits)) & NumberMask;

    /// <summary>What tells later whether a keyspace was cleared: its generation alone comes again.</summary>
    public GenerationMark Mark(int keyspace)
    {
        long clearCount = Volatile.Read(ref _clearCount); // First: a clear counts, and then begins the generation.
        return new GenerationMark(clearCount, Of(keyspace));
    }

    /// <summary>Whether a keyspace was not cleared since; perhaps false as well if another was.</summary>
    public bool IsStill(int keyspace, GenerationMark mark) =>
        Of(keyspace) == mark.Generation && Volatile.Read(ref _clearCount) == mark.ClearCount;

    /// <summary>The place of a keyspace's generation in a table of all.</summary>
    public static int IndexOf(int keyspace, int generation) => keyspace * PerKeyspace + generation;

    /// <summary>Whether a keyspace was written since it was cleared; asked after the entry was counted.</summary>
    public bool IsWritten(int keyspace) => (Volatile.Read(ref _written) >> keyspace & 1) != 0;

    /// <summary>Notes a new entry of a keyspace, before its home is unlocked.</summary>
    public void NoteWritten(int keyspace)
    {
        Debug.Assert(keyspace is >= 0 and < CacheOptions.KeyspaceCountMax);
        Interlocked.Or(ref _written, 1U << keyspace);
    }

    /// <summary>A word that has one keyspace's generation, for <see cref="AreStill"/>.</summary>
    public static ulong WordOf(int keyspace, int generation) => (ulong)generation << (keyspace * NumberBits);

    /// <summary>
    /// Whether some keyspaces, one bit for each, are in the generations that a word has of them, and none of them is
    /// about to be cleared.
    /// </summary>
    /// <remarks>
    /// A writer asks this after it has reserved room in the journal. If so, the next clear reserves later: a clear sets
    /// its bit before it reserves. And a writer in the new generation reserves later than the clear did: the clear
    /// begins the generation after it has reserved. So the order of the journal is that of the store.
    /// </remarks>
    public bool AreStill(uint keyspaces, ulong word)
    {
        ulong present = Word;
        ulong changed = present ^ word;
        for (; keyspaces != 0; keyspaces &= keyspaces - 1)
        {
            int at = BitOperations.TrailingZeroCount(keyspaces) * NumberBits;
            // The word may have the bit too: it was taken while a clear reserved, which may have been before.
            if (((changed >> at & NumberMask) | (present >> at & ClearingBit)) != 0)
                return false;
        }

        return true;
    }

    /// <summary>Of some keyspaces, those that are in other generations than a word has; one bit for each.</summary>
    public uint ChangedSince(uint keyspaces, ulong word)
    {
        uint found = 0;
        ulong changed = Word ^ word;
        for (; keyspaces != 0; keyspaces &= keyspaces - 1)
        {
            int keyspace = BitOperations.TrailingZeroCount(keyspaces);
            found |= (changed >> (keyspace * NumberBits) & NumberMask) == 0 ? 0 : 1U << keyspace;
        }

        return found;
    }

    /// <summary>A word with the present generations of some keyspaces, one bit for each.</summary>
    public ulong Renewed(ulong word, uint keyspaces)
    {
        ulong changed = Word ^ word;
        for (; keyspaces != 0; keyspaces &= keyspaces - 1)
        {
            int at = BitOperations.TrailingZeroCount(keyspaces) * NumberBits;
            word ^= changed & ((ulong)NumberMask << at);
        }

        return word;
    }

    /// <summary>Whether a keyspace cannot be cleared before something is freed.</summary>
    public bool IsUsedUp
    {
        get
        {
            if (!HasCleared)
                return false;
            lock (_gate)
            {
                foreach (byte cleared in _cleared)
                {
                    if (BitOperations.PopCount(cleared) == PerKeyspace - 1)
                        return true;
                }
            }

            return false;
        }
    }

    /// <summary>Begins new generations of some keyspaces, one bit for each.</summary>
    /// <param name="keyspaces">The keyspaces.</param>
    /// <param name="recorder">Has the records of the clear, if there is a journal.</param>
    /// <param name="hasRoom">False if the journal has none: nothing was done.</param>
    /// <returns>False if one of them has no generation that is not in use: nothing was done.</returns>
    public bool TryBegin(uint keyspaces, ChangeRecorder? recorder, out bool hasRoom)
    {
        hasRoom = true;
        lock (_gate)
        {
            // One that was not written since its last clear is empty: it stays in its generation. Not beside a journal,
            // which may have entries of it that were evicted: its first writers must know the clear by the generation.
            if (recorder is null)
                keyspaces &= Volatile.Read(ref _written);
            ulong word = _word;
            for (int keyspace = 0; keyspace < CacheOptions.KeyspaceCountMax; keyspace++)
            {
                if ((keyspaces >> keyspace & 1) != 0 && !TryBegin(keyspace, ref word))
                    return false;
            }

            if (keyspaces == 0)
                return true;
            Debug.Assert(word != _word, "Each keyspace gets another generation.");
            if (recorder is not null && !(hasRoom = TryReserve(keyspaces, recorder)))
                return false;
            RoomSteps.At(RoomStep.ClearReserved);
            for (uint rest = recorder is null ? 0 : keyspaces; rest != 0; rest &= rest - 1)
                recorder!.Write(default, default); // Before others see the clear: see ChangeJournal.
            for (int keyspace = 0; keyspace < CacheOptions.KeyspaceCountMax; keyspace++)
            {
                if ((keyspaces >> keyspace & 1) != 0)
                    _cleared[keyspace] |= (byte)(1 << Of(keyspace));
            }

            // The bits first: a write of the new generation sets its own again.
            Interlocked.And(ref _written, ~keyspaces);
            Volatile.Write(ref _clearCount, _clearCount + 1);
            Interlocked.Exchange(ref _word, word);
            Volatile.Write(ref _hasCleared, true);
            return true;
        }
    }

    /// <summary>What was cleared until now: by keyspace, one bit for each generation.</summary>
    public void CopyCleared(Span<byte> cleared)
    {
        lock (_gate)
            _cleared.CopyTo(cleared);
    }

    /// <summary>Lets generations be used again of which nothing is left.</summary>
    public void NoteFreed(ReadOnlySpan<byte> freed)
    {
        lock (_gate)
        {
            bool hasCleared = false;
            for (int keyspace = 0; keyspace < _cleared.Length; keyspace++)
            {
                Debug.Assert((freed[keyspace] & ~_cleared[keyspace]) == 0, "Only what was cleared is freed.");
                _cleared[keyspace] &= (byte)~freed[keyspace];
                hasCleared |= _cleared[keyspace] != 0;
            }

            Volatile.Write(ref _hasCleared, hasCleared);
        }
    }

    private bool TryReserve(uint keyspaces, ChangeRecorder recorder)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        ulong before = _word;
        ulong clearing = before;
        for (uint rest = keyspaces; rest != 0; rest &= rest - 1)
            clearing |= ClearingBit << (BitOperations.TrailingZeroCount(rest) * NumberBits);
        Interlocked.Exchange(ref _word, clearing);
        bool isReserved = recorder.TryReserve();
        if (!isReserved)
            Interlocked.Exchange(ref _word, before);
        return isReserved;
    }

    private bool TryBegin(int keyspace, ref ulong word)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        int present = Of(keyspace, word);
        for (int i = 1; i < PerKeyspace; i++)
        {
            int next = (present + i) & NumberMask;
            if ((_cleared[keyspace] >> next & 1) != 0)
                continue;
            word ^= (ulong)(present ^ next) << (keyspace * NumberBits);
            return true;
        }

        return false;
    }
}

/// <summary>The generation of a keyspace, and how many clears began until it was read.</summary>
internal readonly record struct GenerationMark(long ClearCount, int Generation);
