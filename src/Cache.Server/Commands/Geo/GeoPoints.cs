using System.Buffers;

namespace Cache.Server.Commands.Geo;

/// <summary>The members that a search found, in memory of the pool, up to a bound; dispose it.</summary>
/// <remarks>
/// Where only some of them are wanted, the nearest or the farthest, the others are left out whenever there are twice
/// as many: memory depends on what is wanted, not on what is found. One thread at a time.
/// </remarks>
internal sealed class GeoPoints : IDisposable
{
    /// <summary>The most bytes of members: they are held by no client.</summary>
    public const int BytesMax = 64 << 20;

    /// <summary>The most members.</summary>
    public const int CountMax = 1 << 21;

    private const int BytesMin = 4096;
    private const int CountMin = 128;

    // The pool would keep larger arrays.
    private const int PooledMax = 1 << 20;

    // So many are found before some are left out, however few are wanted.
    private const int KeptMin = 1024;

    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(BytesMin);
    private GeoPoint[] _points = ArrayPool<GeoPoint>.Shared.Rent(CountMin);
    private int _used;
    private long _wanted;
    private int _direction;

    public int Count { get; private set; }

    /// <summary>Whether a member was refused.</summary>
    public bool IsTooLong { get; private set; }

    public GeoPoint this[int index] => _points[index];

    /// <summary>Begins anew.</summary>
    /// <param name="wanted">How many are wanted; 0: all.</param>
    /// <param name="direction">1: the nearest first; −1: the farthest first; 0: as they come.</param>
    public void Begin(long wanted, int direction)
    {
        (Count, _used, IsTooLong) = (0, 0, false);
        _wanted = wanted > 0 ? wanted : long.MaxValue;
        _direction = direction;
    }

    public ReadOnlySpan<byte> MemberAt(int index) => _bytes.AsSpan(_points[index].Start, _points[index].Length);

    public void Add(scoped ReadOnlySpan<byte> member, double score, double distance)
    {
        if (_direction != 0 && Count >= Math.Max(KeptMin, _wanted < CountMax ? 2 * _wanted : long.MaxValue))
            LeaveOut();
        IsTooLong |= Count == CountMax || member.Length > BytesMax - _used;
        if (IsTooLong)
            return;
        if (Count == _points.Length)
            Grow(ref _points, Count, 2 * Count);
        if (_bytes.Length - _used < member.Length)
            Grow(ref _bytes, _used, Math.Max(_used + member.Length, Math.Min(2 * _bytes.Length, BytesMax)));
        member.CopyTo(_bytes.AsSpan(_used));
        _points[Count++] = new GeoPoint(_used, member.Length, score, distance);
        _used += member.Length;
    }

    /// <summary>Brings them into their order, and leaves those out that are not wanted.</summary>
    public void End()
    {
        Sort();
        Count = (int)Math.Min(Count, _wanted);
    }

    public void Dispose()
    {
        GiveBack(_bytes);
        GiveBack(_points);
        (_bytes, _points, _used, Count) = ([], [], 0, 0);
    }

    private void Sort()
    {
        if (_direction != 0)
            _points.AsSpan(0, Count).Sort(new ByDistance(_direction));
    }

    private void LeaveOut()
    {
        Sort();
        Count = (int)_wanted;
        _points.AsSpan(0, Count).Sort(default(ByStart));
        _used = 0;
        for (int i = 0; i < Count; i++)
        {
            MemberAt(i).CopyTo(_bytes.AsSpan(_used));
            _points[i] = _points[i] with { Start = _used };
            _used += _points[i].Length;
        }
    }

    private static void Grow<T>(ref T[] array, int used, int length)
    {
        T[] larger = length <= PooledMax ? ArrayPool<T>.Shared.Rent(length) : new T[length];
        array.AsSpan(0, used).CopyTo(larger);
        GiveBack(array);
        array = larger;
    }

    private static void GiveBack<T>(T[] array)
    {
        if (array.Length is > 0 and <= PooledMax)
            ArrayPool<T>.Shared.Return(array);
    }

    // Those of one distance stay in the order in which they came.
    private readonly struct ByDistance(int direction) : IComparer<GeoPoint>
    {
        public int Compare(GeoPoint x, GeoPoint y)
        {
            int compared = x.Distance > y.Distance ? direction : x.Distance == y.Distance ? 0 : -direction;
            return compared != 0 ? compared : default(ByStart).Compare(x, y);
        }
    }

    private readonly struct ByStart : IComparer<GeoPoint>
    {
        // Behind an empty member, the next one begins at the same place.
        public int Compare(GeoPoint x, GeoPoint y) =>
            x.Start != y.Start ? x.Start.CompareTo(y.Start) : x.Length.CompareTo(y.Length);
    }
}
