using System.Diagnostics;
using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>Expiry of a shard's entries: on the way of a read, and by a sweep that a timer drives.</summary>
internal sealed partial class Shard
{
    // A sweep holds the gate; so many slots keep it short.
    private const int SlotsPerSweepMax = 1024;

    private readonly long[] _expiringByKeyspace = new long[CacheOptions.KeyspaceCountMax];
    private long _expiringCount;
    private long _expirations;
    private int _sweepSlot;

    /// <summary>Removes expired entries from the next slots, all of them in turn over several calls.</summary>
    /// <returns>Whether enough was found that another call at once is worth its while.</returns>
    public bool Sweep()
    {
        lock (Gate)
        {
            if (_expiringCount == 0)
                return false;
            long before = _expirations;
            long nowMs = _state.Clock.NowMs;
            int slots = Math.Min(SlotsPerSweepMax, _slots.Length);
            for (int i = 0; i < slots; i++)
            {
                _sweepSlot = (_sweepSlot + 1) & (_slots.Length - 1);
                for (var entry = _slots[_sweepSlot]; entry is not null; entry = entry.Next)
                {
                    if (IsExpired(entry, nowMs))
                        Expire(entry);
                }
            }

            return _expirations - before > slots / 4;
        }
    }

    private static bool IsExpired(Entry entry, long nowMs) => entry.DeadlineMs != 0 && entry.DeadlineMs <= nowMs;

    private static bool Holds(ExpireConditions conditions, long presentMs, long newMs)
    {
        long present = presentMs == 0 ? long.MaxValue : presentMs;
        return !((conditions.HasFlag(ExpireConditions.IfNone) && presentMs != 0)
            || (conditions.HasFlag(ExpireConditions.IfAny) && presentMs == 0)
            || (conditions.HasFlag(ExpireConditions.IfLater) && newMs <= present)
            || (conditions.HasFlag(ExpireConditions.IfEarlier) && newMs >= present));
    }

    private long Slide(long slidingMs, long absoluteMs)
    {
        long deadlineMs = _state.Clock.ReadMs() + slidingMs;
        return absoluteMs == 0 ? deadlineMs : Math.Min(deadlineMs, absoluteMs);
    }

    /// <summary>Changes when an entry expires; one whose time has come goes at once.</summary>
    private void SetExpiry(Entry entry, long expiresAtMs, long slidingMs)
    {
        SetDeadline(entry, slidingMs > 0 ? Slide(slidingMs, expiresAtMs) : expiresAtMs, expiresAtMs, slidingMs);
        entry.Version = ++_lastVersion;
        if (IsExpired(entry, _state.Clock.ReadMs()))
            Unlink(entry);
    }

    private void SetDeadline(Entry entry, long deadlineMs, long absoluteMs, long slidingMs)
    {
        Debug.Assert(slidingMs >= 0);
        int change = (deadlineMs != 0 ? 1 : 0) - (entry.DeadlineMs != 0 ? 1 : 0);
        _expiringCount += change;
        _expiringByKeyspace[entry.Keyspace] += change;
        entry.DeadlineMs = deadlineMs;
        entry.AbsoluteMs = absoluteMs;
        entry.SlidingMs = slidingMs;
    }

    private void Expire(Entry entry)
    {
        Unlink(entry);
        _expirations++;
    }
}
