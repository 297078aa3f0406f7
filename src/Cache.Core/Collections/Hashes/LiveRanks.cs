using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Hashes;

/// <summary>The fields of a snapshot that have not expired, by numbers without gaps; dispose it.</summary>
/// <remarks>Without expired ones, which is the rule since they are removed, a number is the field's rank.</remarks>
internal readonly struct LiveRanks : IDisposable
{
    private readonly uint[] _ranks;

    private LiveRanks(uint[] ranks) => _ranks = ranks;

    public uint this[uint index] => _ranks.Length == 0 ? index : _ranks[index];

    public static LiveRanks Of(in ObjectView view, long nowMs)
    {
        uint expired = view.CountExpired(nowMs);
        if (expired == 0)
            return new LiveRanks([]);
        uint[] ranks = PooledGrowth.Rent<uint>((int)Math.Min(Array.MaxLength, view.Count - expired));
        int count = 0;
        var cursor = view.First<ByHashWithValue>().At(0);
        for (uint rank = 0; cursor.IsValid && count < ranks.Length; rank++, cursor.MoveNext())
        {
            long moment = cursor.Entry.Moment;
            if (moment == 0 || moment > nowMs)
                ranks[count++] = rank;
        }

        return new LiveRanks(ranks);
    }

    public void Dispose()
    {
        if (_ranks.Length != 0)
            PooledGrowth.Return(_ranks);
    }
}
