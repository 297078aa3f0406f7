using System.Buffers.Binary;

namespace Cache.Core.Collections.Objects;

/// <summary>A change of a list: the name and the value of an element, as files have them.</summary>
/// <remarks>
/// <code>
///  name    position 8 │ number of the write 8         of the first change of a write; position −1: the right end
///          position 8                                 of others
///          nothing                                    of others: the right end
///  value   the element │ Drop: how many 4 │ Move: the position afterwards 8
/// </code>
/// Positions mean the list as the changes before have left it. So a record is right once, and only in its turn: its
/// number tells whether a list has it already (<see cref="Layout.ListMarks"/>). All changes of a write have one action.
/// </remarks>
internal readonly ref struct ListChange
{
    /// <summary>The position behind the last element.</summary>
    public const long AtEnd = -1;

    public const int PositionSize = sizeof(long);

    /// <summary>The name of the first change.</summary>
    public const int FirstNameSize = PositionSize + sizeof(ulong);

    private readonly ReadOnlySpan<byte> _name;

    public ListChange(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        _name = name;
        Value = value;
    }

    public ReadOnlySpan<byte> Value { get; }

    public long Position => _name.IsEmpty ? AtEnd : BinaryPrimitives.ReadInt64LittleEndian(_name);

    /// <summary>Whether it is the first one of a write.</summary>
    public bool IsFirst => _name.Length == FirstNameSize;

    /// <summary>The number of the write.</summary>
    public ulong Number => IsFirst ? BinaryPrimitives.ReadUInt64LittleEndian(_name[PositionSize..]) : 0;

    /// <summary>How many elements are dropped.</summary>
    public int Count => BinaryPrimitives.ReadInt32LittleEndian(Value);

    /// <summary>Where an element is moved to.</summary>
    public long Target => BinaryPrimitives.ReadInt64LittleEndian(Value);

    /// <summary>The length of the name of a change.</summary>
    public static int NameSizeOf(bool isFirst, long position) =>
        isFirst ? FirstNameSize : position == AtEnd ? 0 : PositionSize;

    /// <summary>Writes the name of a change into as many bytes as that of the first one has.</summary>
    /// <returns>Its length.</returns>
    public static int Name(Span<byte> name, bool isFirst, long position, ulong number)
    {
        BinaryPrimitives.WriteInt64LittleEndian(name, position);
        BinaryPrimitives.WriteUInt64LittleEndian(name[PositionSize..], number);
        return NameSizeOf(isFirst, position);
    }
}
