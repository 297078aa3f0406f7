using System.Diagnostics;

namespace Cache.Server.Statistics;

/// <summary>Figures by the prefixes of keys, in fixed memory. Not thread-safe.</summary>
/// <remarks>
/// A prefix is what stands before the second separator, with it: "user:eu:" of "user:eu:17". If there are more than the
/// table has room for, the parts with most prefixes are counted whole from then on: all of "user:" as one. If that
/// gives too little room, the lesser half of the prefixes becomes a part of the others; one that comes again is
/// counted from then on. Nothing is estimated, and nothing is lost: the sum is that of all keys. So keys by number, as
/// "user:17:name", become one prefix, and a few of thousands of keys stay apart.
/// </remarks>
internal sealed class PrefixTable
{
    /// <summary>The most prefixes: a screen or two, and few enough to be looked through.</summary>
    public const int CountMax = 256;

    /// <summary>The longest prefix; of a key with a longer one the first part counts, or none.</summary>
    public const int LengthMax = 64;

    // What making room gives at least, so that it is seldom needed.
    private const int RoomMin = CountMax / 8;

    private readonly ulong[] _hashes = new ulong[CountMax];
    private readonly ulong[] _parents = new ulong[CountMax]; // The hash of the first part.
    private readonly byte[] _lengths = new byte[CountMax];
    private readonly byte[] _partLengths = new byte[CountMax];
    private readonly bool[] _isWhole = new bool[CountMax];
    private readonly byte[] _prefixes = new byte[CountMax * LengthMax];
    private readonly PrefixFigures[] _figures = new PrefixFigures[CountMax];
    private readonly double[] _weights = new double[CountMax];
    private PrefixFigures _others;
    private int _count;

    /// <summary>The prefixes in the table.</summary>
    public int Count => _count;

    /// <summary>The figures of prefixes that are not told apart.</summary>
    public PrefixFigures Others => _others;

    /// <summary>A prefix; empty: the keys without a separator.</summary>
    public ReadOnlySpan<byte> PrefixAt(int index) => _prefixes.AsSpan(index * LengthMax, _lengths[index]);

    /// <summary>The figures of a prefix.</summary>
    public PrefixFigures FiguresAt(int index) => _figures[index];

    /// <summary>Adds to the figures of a key's prefix.</summary>
    public void Add(ReadOnlySpan<byte> key, byte separator, in PrefixFigures figures)
    {
        int part = key.IndexOf(separator) + 1;
        int length = part == 0 ? 0 : part + key[part..].IndexOf(separator) + 1;
        if (part > LengthMax)
            part = length = 0;
        else if (length > LengthMax)
            length = part;
        AddPrefix(key[..length], part, figures);
    }

    /// <summary>Adds all figures of another table, times a factor.</summary>
    public void Add(PrefixTable other, double factor)
    {
        _others.Add(other._others.Times(factor));
        AddWholeParts(other);
        for (int i = 0; i < other._count; i++)
            AddPrefix(other.PrefixAt(i), other._partLengths[i], other._figures[i].Times(factor));
    }

    /// <summary>Counts whole what another table counts so, if that was used.</summary>
    public void AddWholeParts(PrefixTable other)
    {
        for (int i = 0; i < other._count; i++)
        {
            if (other._isWhole[i] && other._figures[i].Weight > 0)
                MakeWhole(other.PrefixAt(i), other._hashes[i]);
        }
    }

    /// <summary>Forgets all.</summary>
    public void Clear()
    {
        _count = 0;
        _others = default;
    }

    private void AddPrefix(ReadOnlySpan<byte> prefix, int partLength, in PrefixFigures figures)
    {
        ulong hash = HashOf(prefix);
        int index = IndexOf(hash);
        if (index < 0)
        {
            ulong parent = HashOf(prefix[..partLength]);
            index = FindWhole(parent);
            if (index < 0 && _count == CountMax)
            {
                MakeRoom();
                index = FindWhole(parent);
            }

            if (index < 0)
                index = Insert(prefix, hash, parent, partLength);
        }

        _figures[index].Add(figures);
    }

    private int IndexOf(ulong hash) => _hashes.AsSpan(0, _count).IndexOf(hash);

    private int FindWhole(ulong parent)
    {
        int index = IndexOf(parent);
        return index >= 0 && _isWhole[index] ? index : -1;
    }

    private int Insert(ReadOnlySpan<byte> prefix, ulong hash, ulong parent, int partLength)
    {
        Debug.Assert(_count < CountMax && prefix.Length <= LengthMax);
        Debug.Assert(IndexOf(hash) < 0);
        int index = _count++;
        _hashes[index] = hash;
        _parents[index] = parent;
        _lengths[index] = (byte)prefix.Length;
        _partLengths[index] = (byte)partLength;
        _isWhole[index] = false;
        _figures[index] = default;
        prefix.CopyTo(_prefixes.AsSpan(index * LengthMax));
        return index;
    }

    // A part that another table counts whole.
    private void MakeWhole(ReadOnlySpan<byte> part, ulong hash)
    {
        if (IndexOf(hash) < 0 && _count == CountMax)
            MakeRoom();
        Gather(IndexOf(hash) is >= 0 and var index ? index : Insert(part, hash, hash, part.Length));
    }

    /// <summary>Counts a part whole: its place gets all that is known of its prefixes.</summary>
    private void Gather(int index)
    {
        ulong hash = _hashes[index];
        _isWhole[index] = true;
        for (int i = _count - 1; i >= 0; i--)
        {
            if (i == index || _parents[i] != hash)
                continue;
            _figures[index].Add(_figures[i]);
            index = index == _count - 1 ? i : index; // Moved there.
            Remove(i);
        }
    }

    private void MakeRoom()
    {
        int most = 0;
        for (int i = 0; i < _count; i++)
            most = Math.Max(most, ChildrenOf(_parents[i]));

        // From the end: what moves into a place that becomes free was looked at already.
        for (int i = _count - 1; most > 1 && i >= 0; i--)
        {
            if (i < _count && IsChild(i) && 2 * ChildrenOf(_parents[i]) > most)
                Gather(IndexOf(_parents[i]) is >= 0 and var index ? index : TurnIntoPart(i));
        }

        if (CountMax - _count < RoomMin)
            DropLesser();
    }

    // The part's own entry, if there is one, names itself.
    private int ChildrenOf(ulong part) =>
        _parents.AsSpan(0, _count).Count(part) - (IndexOf(part) >= 0 ? 1 : 0);

    private bool IsChild(int index) => _lengths[index] > _partLengths[index];

    private int TurnIntoPart(int index)
    {
        _hashes[index] = _parents[index];
        _lengths[index] = _partLengths[index];
        return index;
    }

    private void DropLesser()
    {
        var all = default(PrefixFigures);
        for (int i = 0; i < _count; i++)
            all.Add(_figures[i]);
        for (int i = 0; i < _count; i++)
            _weights[i] = _figures[i].ShareOf(all);
        var weights = _weights.AsSpan(0, _count);
        weights.Sort();
        double median = weights[_count / 2];
        int dropped = 0;
        for (int i = _count - 1; i >= 0; i--)
        {
            if (_figures[i].ShareOf(all) < median)
                dropped += Drop(i);
        }

        for (int i = _count - 1; i >= 0 && dropped < CountMax / 2; i--)
        {
            if (_figures[i].ShareOf(all) <= median)
                dropped += Drop(i);
        }
    }

    private int Drop(int index)
    {
        _others.Add(_figures[index]);
        Remove(index);
        return 1;
    }

    private void Remove(int index) => MoveTo(--_count, index);

    private void MoveTo(int from, int to)
    {
        if (from == to)
            return;
        _hashes[to] = _hashes[from];
        _parents[to] = _parents[from];
        _lengths[to] = _lengths[from];
        _partLengths[to] = _partLengths[from];
        _isWhole[to] = _isWhole[from];
        _figures[to] = _figures[from];
        _prefixes.AsSpan(from * LengthMax, LengthMax).CopyTo(_prefixes.AsSpan(to * LengthMax));
    }

    private static ulong HashOf(ReadOnlySpan<byte> prefix) => SampleHash.Of(prefix, database: 0);
}
