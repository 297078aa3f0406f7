using System.Globalization;
using Cache.Durability.Attachment;
using Cache.Durability.Format;
using Cache.Durability.Rdb;

namespace Cache.Durability.Dumps;

/// <summary>The collection of an RDB file or of a payload that was read last, in the form of a store.</summary>
internal sealed class DumpCollection
{
    // Of one collection in all: what can be in memory twice, once as it is read and once as it is written.
    private const int BytesMax = 1 << 30;
    private const int CountMax = 1 << 26;

    private readonly PackedCollection _packed = new();
    private readonly LargeCollection _large = new();
    private bool _isLarge;
    private bool _isStream;

    /// <summary>Where its strings are read to, names and values.</summary>
    public RdbElements Elements { get; } = new(BytesMax, CountMax);

    /// <summary>Where streams are read to.</summary>
    public DumpStream Stream { get; } = new();

    public byte[] Bytes => _isStream ? Stream.Bytes : _isLarge ? _large.Bytes : _packed.Bytes;

    public int Length => _isStream ? Stream.Length : _isLarge ? _large.Length : _packed.Length;

    /// <summary>The bytes that it holds, also while it has nothing.</summary>
    public long HeldBytes => Elements.HeldBytes + Stream.Bytes.Length + _large.Bytes.Length;

    public static string TooLong => string.Create(
        CultureInfo.InvariantCulture,
        $"with no elements, more than {CountMax:n0} strings or {BytesMax:n0} bytes, or "
        + $"a group or consumer of a name that is longer than a store takes");

    /// <summary>The type as TYPE names it.</summary>
    public static string NameOf(RdbKind kind) => kind switch
    {
        RdbKind.Hash => "hash",
        RdbKind.List => "list",
        RdbKind.Set => "set",
        RdbKind.SortedSet => "zset",
        RdbKind.Stream => "stream",
        _ => "string",
    };

    /// <summary>The type as files number it.</summary>
    public static byte TypeOf(RdbKind kind) => kind switch
    {
        RdbKind.Hash => 1,
        RdbKind.List => 2,
        RdbKind.Set => 3,
        RdbKind.SortedSet => 4,
        RdbKind.Stream => 5,
        _ => RecordType.String,
    };

    /// <summary>Makes the form that it has in a store.</summary>
    /// <param name="kind">What it is.</param>
    /// <param name="offset">Where it ends in the file.</param>
    /// <param name="firstChange">Of a large list: the number of the write.</param>
    /// <returns>False if it is too long for that, or has no elements.</returns>
    /// <exception cref="RdbFormatException">It has the same field or member twice.</exception>
    public bool TryMake(RdbKind kind, long offset, ulong firstChange = LargeCollection.FirstChange)
    {
        _isStream = kind == RdbKind.Stream;
        if (_isStream)
            return !Elements.IsTooLong && Stream.TryComplete();
        int stringsEach = kind == RdbKind.Hash ? 2 : 1;
        long count = Elements.Count / stringsEach;
        if (Elements.IsTooLong || count == 0)
            return false;
        var names = new Names(Elements, stringsEach);
        var step = _packed.Make(TypeOf(kind), (int)count, names);
        _isLarge = step == PackedCollection.Step.TooLong;
        if (_isLarge)
            step = _large.Make(TypeOf(kind), (int)count, names, firstChange);
        return step switch
        {
            PackedCollection.Step.Done => true,
            PackedCollection.Step.TooLong => false,
            _ => throw new RdbFormatException(offset, $"a {NameOf(kind)} has the same name twice."),
        };
    }

    /// <summary>Makes the form of a large one of what was made as a small one.</summary>
    /// <returns>False if it was not, or is too long for that.</returns>
    public bool TryMakeLarge(RdbKind kind, ulong firstChange = LargeCollection.FirstChange)
    {
        if (_isStream || _isLarge)
            return false;
        int stringsEach = kind == RdbKind.Hash ? 2 : 1;
        var names = new Names(Elements, stringsEach);
        _isLarge = _large.Make(TypeOf(kind), (int)(Elements.Count / stringsEach), names, firstChange)
            == PackedCollection.Step.Done;
        return _isLarge;
    }

    /// <summary>Forgets all memory beside that of a small collection.</summary>
    public void Trim()
    {
        Elements.Trim();
        Stream.Trim();
        _large.Trim();
    }

    private readonly struct Names(RdbElements elements, int stringsEach) : IPackedElements
    {
        public ReadOnlySpan<byte> NameAt(int index) => elements[index * stringsEach];

        public ReadOnlySpan<byte> ValueAt(int index) => elements[index * stringsEach + 1];

        public double ScoreAt(int index) => elements.Scores[index];
    }
}
