using System.Diagnostics;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Hashes;

/// <summary>Chooses fields of a snapshot at random that have not expired, by their ranks; dispose it.</summary>
/// <remarks>
/// Drawn among all, and again for one that has expired: there are few, since they are removed. Only where hardly any is
/// left, or most of them are wanted, all fields are walked through for the ranks of these.
/// </remarks>
internal struct LiveRanks : IDisposable
{
    // Some tens of microseconds. Where one of a hundred fields is left, one draw of some thousands ends here.
    private const int DrawsMax = 1024;

    private readonly ObjectView _view;
    private readonly long _nowMs;
    private readonly bool _hasExpired;

    // Of all that have not expired, once they were walked through.
    private uint[] _ranks = [];

    public LiveRanks(in ObjectView view, long nowMs)
    {
        (_view, _nowMs) = (view, nowMs);
        uint expired = Math.Min(view.Count, view.CountExpired(nowMs));
        Count = view.Count - expired;
        _hasExpired = expired != 0;
    }

    /// <summary>The number of fields that have not expired.</summary>
    public uint Count { get; }

    /// <summary>Whether all fields were walked through.</summary>
    public readonly bool HasWalked => _ranks.Length != 0;

    /// <summary>The rank of one.</summary>
    public uint Next()
    {
        Debug.Assert(Count != 0);
        if (!_hasExpired)
            return RandomRanks.Next(Count);
        if (!HasWalked && TryDraw(out uint rank))
            return rank;
        Walk();
        return _ranks[RandomRanks.Next(Math.Min(Count, (uint)_ranks.Length))];
    }

    /// <summary>Fills a span with the ranks of different ones, in ascending order.</summary>
    public void Choose(Span<uint> ranks)
    {
        Debug.Assert((uint)ranks.Length <= Count);
        if (_hasExpired && (uint)ranks.Length <= Count / 2)
        {
            for (int chosen = 0; chosen < ranks.Length;)
            {
                foreach (ref uint rank in ranks[chosen..])
                    rank = Next();
                chosen = RandomRanks.RemoveEqual(ranks);
            }

            return;
        }

        RandomRanks.Choose(ranks, Count);
        if (!_hasExpired)
            return;
        Walk();
        foreach (ref uint rank in ranks)
            rank = _ranks[rank];
    }

    public void Dispose()
    {
        if (HasWalked)
            PooledGrowth.Return(_ranks);
        _ranks = [];
    }

    private readonly bool TryDraw(out uint rank)
    {
        rank = 0;
        for (int draws = 0; draws < DrawsMax; draws++)
        {
            rank = RandomRanks.Next(_view.Count);
            var cursor = _view.First<ByHashWithValue>().At(rank);
            if (!cursor.IsValid || IsLive(cursor.Entry.Moment)) // Of a store that was disposed meanwhile, any.
                return true;
        }

        return false;
    }

    private void Walk()
    {
        if (HasWalked)
            return;
        int length = (int)Math.Min(Array.MaxLength, Count);
        uint[] ranks = PooledGrowth.Rent<uint>(length);
        int count = 0;
        var cursor = _view.First<ByHashWithValue>().At(0);
        for (uint rank = 0; cursor.IsValid && count < length; rank++, cursor.MoveNext())
        {
            if (IsLive(cursor.Entry.Moment))
                ranks[count++] = rank;
        }

        ranks.AsSpan(count, length - count).Clear(); // Of a store that was disposed meanwhile.
        _ranks = ranks;
    }

    private readonly bool IsLive(long moment) => moment == 0 || moment > _nowMs;
}
