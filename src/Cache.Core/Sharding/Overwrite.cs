using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>A plain entry that is about to get another value, and the two buckets that guard it.</summary>
/// <remarks>
/// Plain: short, its bytes as they were written; in a batch also without an expiry. Nearly every write of an existing
/// key is of this kind.
/// </remarks>
internal struct Overwrite
{
    public Bucket Home;
    public uint HomeVersion;

    // The bucket that the entry lies in: its home, or one that it spilled to.
    public Bucket Holder;
    public uint HolderVersion;
    public int Slot;
    public Record Record;

    // Known under the locks.
    public RecordHeader Header;

    /// <summary>Where the value goes: the same record if it fits, else a new one.</summary>
    public Record Target;

    /// <summary>The length of that new one; 0 of the same.</summary>
    public int AppendedBytes;

    /// <summary>The length of the value that room was found for.</summary>
    public int ValueLength;

    // Which of the two this one has locked; in a batch, another may have done so before.
    private bool _holdsHome;
    private bool _holdsHolder;

    /// <summary>One whose home is locked, and whose entry lies there.</summary>
    public static Overwrite OfLocked(Bucket home, uint version, int slot, Record record, RecordHeader header)
    {
        var overwrite = default(Overwrite);
        overwrite.Home = overwrite.Holder = home;
        overwrite.HomeVersion = overwrite.HolderVersion = version;
        overwrite.Slot = slot;
        overwrite.Record = record;
        overwrite.Header = header;
        overwrite._holdsHome = true;
        return overwrite;
    }

    public readonly bool IsSpilled => !Holder.Equals(Home);

    public readonly bool IsInPlace => Target.Address == Record.Address;

    /// <summary>Whether no earlier one of the batch has locked this one's home.</summary>
    public readonly bool HoldsHome => _holdsHome;

    /// <summary>Locks both buckets, unless they were written since the entry was found.</summary>
    public bool TryLock()
    {
        Debug.Assert(!_holdsHome && !_holdsHolder);
        _holdsHome = Home.TryLockAt(HomeVersion);
        if (!_holdsHome || !IsSpilled)
            return _holdsHome;
        _holdsHolder = Holder.TryLockAt(HolderVersion);
        if (_holdsHolder)
            return true;
        Home.Unlock(HomeVersion, changed: false);
        return _holdsHome = false;
    }

    /// <summary>The same, where some before this one are locked already.</summary>
    public bool TryLockBehind(ReadOnlySpan<Overwrite> locked)
    {
        Debug.Assert(!_holdsHome && !_holdsHolder);
        _holdsHome = Home.TryLockAt(HomeVersion);
        if (!_holdsHome && !IsLocked(locked, Home, HomeVersion))
            return false;
        _holdsHolder = IsSpilled && Holder.TryLockAt(HolderVersion);
        if (!IsSpilled || _holdsHolder || IsLocked(locked, Holder, HolderVersion))
            return true;
        Unlock(changed: false);
        return false;
    }

    public readonly void Unlock(bool changed)
    {
        if (_holdsHolder)
            Holder.Unlock(HolderVersion, changed);
        if (_holdsHome)
            Home.Unlock(HomeVersion, changed);
    }

    private static bool IsLocked(ReadOnlySpan<Overwrite> locked, Bucket bucket, uint version)
    {
        foreach (ref readonly var other in locked)
        {
            if ((other._holdsHome && other.Home.Equals(bucket) && other.HomeVersion == version)
                || (other._holdsHolder && other.Holder.Equals(bucket) && other.HolderVersion == version))
            {
                return true;
            }
        }

        return false;
    }
}

/// <summary>A plain entry of locked buckets, whose record a value of a length fits.</summary>
internal readonly record struct HeldOverwrite(
    Bucket Home, Bucket Holder, int Slot, Record Record, int ValueLength);
