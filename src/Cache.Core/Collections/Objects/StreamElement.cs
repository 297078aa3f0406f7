using System.Buffers.Binary;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>What the elements of a stream are named, and have as values, in changes and in files.</summary>
/// <remarks>
/// <code>
///  header     0                                       StreamHeader
///  entry      1 │ id 16                               shape length │ shape │ values
///  group      2 │ name                                StreamGroup
///  consumer   3 │ group 4 │ name                      StreamConsumer
///  pending    4 │ group 4 │ id 16                     StreamPending
///  gone       7 │ group 4                             nothing: the group has gone, and not all that it had
///
///  shape      number of fields │ length │ field │ length │ field …
///  values     length │ value │ length │ value …
/// </code>
/// Ids and groups are most significant byte first, lengths are <see cref="Varint"/>s. Two elements follow from others,
/// and are in the tree alone: what is pending by consumer (5 │ group 4 │ consumer 4 │ id 16), and the names of
/// consumers by their numbers (6 │ group 4 │ consumer 4). Whole streams are stored without these, and without what is
/// gone; of entries that have the same names of fields, one after the other, the first has them, and the others an
/// empty shape.
/// </remarks>
internal static class StreamElement
{
    public const byte Header = 0;
    public const byte Entry = 1;
    public const byte Group = 2;
    public const byte Consumer = 3;
    public const byte Pending = 4;
    public const byte PendingOfConsumer = 5;
    public const byte NameOfConsumer = 6;
    public const byte Gone = 7;

    public const int IdSize = 2 * sizeof(ulong);

    public const int EntryNameSize = 1 + IdSize;

    public const int GroupPrefixSize = 1 + sizeof(uint);

    public const int PendingNameSize = GroupPrefixSize + IdSize;

    /// <summary>The most bytes of a group's or consumer's name: it lies in a page with what belongs to it.</summary>
    public const int NameLengthMax = 1_000;

    private const int GroupShift = 32;

    /// <summary>The key in the tree of what has a group's number.</summary>
    public static ulong KeyOf(byte tag, uint group) => (ulong)tag << GroupShift | group;

    /// <summary>The tag in a key of the tree.</summary>
    public static byte TagOf(ulong key) => (byte)(key >> GroupShift);

    /// <summary>The key in the tree of an element that is no entry, and what is its name there.</summary>
    public static ulong KeyOf(ReadOnlySpan<byte> name, out ReadOnlySpan<byte> rest)
    {
        bool hasGroup = name[0] is Consumer or Pending;
        rest = name[(hasGroup ? GroupPrefixSize : 1)..];
        return KeyOf(name[0], hasGroup ? GroupOf(name) : 0);
    }

    public static uint GroupOf(ReadOnlySpan<byte> name) => BinaryPrimitives.ReadUInt32BigEndian(name[1..]);

    public static void WriteId(Span<byte> at, StreamId id)
    {
        BinaryPrimitives.WriteUInt64BigEndian(at, id.Milliseconds);
        BinaryPrimitives.WriteUInt64BigEndian(at[sizeof(ulong)..], id.Sequence);
    }

    /// <summary>An id; of fewer bytes, which a torn tree may have, 0-0.</summary>
    public static StreamId ReadId(ReadOnlySpan<byte> bytes) => bytes.Length < IdSize
        ? default
        : new StreamId(
            BinaryPrimitives.ReadUInt64BigEndian(bytes),
            BinaryPrimitives.ReadUInt64BigEndian(bytes[sizeof(ulong)..]));

    public static void NameEntry(Span<byte> at, StreamId id)
    {
        at[0] = Entry;
        WriteId(at[1..], id);
    }

    /// <summary>The beginning of the name of what belongs to a group.</summary>
    public static void NameOfGroup(Span<byte> at, byte tag, uint group)
    {
        at[0] = tag;
        BinaryPrimitives.WriteUInt32BigEndian(at[1..], group);
    }

    public static void NamePending(Span<byte> at, uint group, StreamId id)
    {
        NameOfGroup(at, Pending, group);
        WriteId(at[GroupPrefixSize..], id);
    }

    /// <summary>The parts of an entry's value.</summary>
    public static bool TrySplit(
        ReadOnlySpan<byte> value, out ReadOnlySpan<byte> shape, out ReadOnlySpan<byte> values)
    {
        var rest = value;
        bool isWhole = Varint.TryReadBytes(ref rest, out shape);
        values = rest;
        return isWhole;
    }

    /// <summary>The same of a whole stream, where an entry without names has those of the one before.</summary>
    /// <param name="name">The name.</param>
    /// <param name="value">The value.</param>
    /// <param name="shape">The names of the last entry that has some; empty at first.</param>
    public static bool IsWhole(
        ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, scoped ref ReadOnlySpan<byte> shape)
    {
        if (name.Length != EntryNameSize || name[0] != Entry || !TrySplit(value, out var own, out var values))
            return IsWhole(name, value, isDropped: false);
        if (own.IsEmpty)
            return StreamId.Zero != ReadId(name[1..]) && AreFields(shape, values);
        shape = InheritedOf(own);
        return IsWhole(name, value, isDropped: false);
    }

    /// <summary>What entries may have of the names of one before: long ones would be copied for each.</summary>
    public static ReadOnlySpan<byte> InheritedOf(ReadOnlySpan<byte> shape) =>
        shape.Length <= TreeEntry.LengthMax ? shape : default;

    /// <summary>Whether a name and a value of a file are an element of a stream.</summary>
    public static bool IsWhole(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isDropped)
    {
        if (name.IsEmpty)
            return false;
        int length = name[0] switch
        {
            Header when name.Length == 1 && !isDropped => StreamHeader.Size,
            Entry when name.Length == EntryNameSize && StreamId.Zero != ReadId(name[1..]) => -1,
            Group when name.Length <= 1 + NameLengthMax => StreamGroup.Size,
            Consumer when name.Length is >= GroupPrefixSize and <= GroupPrefixSize + NameLengthMax =>
                StreamConsumer.Size,
            Pending when name.Length == PendingNameSize => StreamPending.Size,
            Gone when name.Length == GroupPrefixSize => 0,
            _ => -2,
        };
        if (length == -2)
            return false;
        return isDropped ? value.IsEmpty
            : length == -1 ? TrySplit(value, out var shape, out var values) && AreFields(shape, values)
            : value.Length == length;
    }

    private static bool AreFields(ReadOnlySpan<byte> shape, ReadOnlySpan<byte> values)
    {
        if (!Varint.TryRead(ref shape, out ulong count) || count == 0 || count > int.MaxValue)
            return false;

        for (ulong i = 0; i < count; i++)
        {
            if (!Varint.TryReadBytes(ref shape, out _) || !Varint.TryReadBytes(ref values, out _))
                return false;
        }

        return shape.IsEmpty && values.IsEmpty;
    }
}
