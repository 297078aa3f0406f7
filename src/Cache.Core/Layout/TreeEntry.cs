using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>An element of a tree: its name (a field, a member, an item), and perhaps a value.</summary>
/// <remarks>
/// <code>
///  length 1–2 │ name │ [ length 1–2 │ [ moment 8 │ ] value ]
///                        in two bytes: 1 · stub 1 · moment 1 · upper bits 5, lower bits 8
/// </code>
/// A stub stands for bytes that are too long to be here; what it says is its owner's, but for the part of a name by
/// which the tree orders it (<see cref="NameStub"/>). The tree keeps and moves it like any other bytes, and tells when
/// it ends. A moment, in Unix milliseconds, is when a field of a hash expires:
/// one that does not has no byte for it.
/// </remarks>
[method: MethodImpl(MethodImplOptions.AggressiveInlining)] // Keeps the spans in registers.
internal readonly ref struct TreeEntry(
    ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isNameStub = false, bool isValueStub = false,
    long moment = 0)
{
    /// <summary>The most that name and value have together: three such elements fit in a page.</summary>
    public const int LengthMax = 1_280;

    /// <summary>The longest entry with its lengths.</summary>
    public const int SizeMax = LengthMax + 4 + MomentSize;

    // In the first of two bytes of a length.
    internal const int LongFlag = 0x80;
    internal const int StubFlag = 0x40;
    internal const int MomentFlag = 0x20;
    internal const int UpperMask = MomentFlag - 1;

    internal const int MomentSize = sizeof(long);

    public ReadOnlySpan<byte> Name { get; } = name;

    public ReadOnlySpan<byte> Value { get; } = value;

    public bool IsNameStub { get; } = isNameStub;

    public bool IsValueStub { get; } = isValueStub;

    /// <summary>When it expires, in Unix milliseconds; 0: never.</summary>
    public long Moment { get; } = moment;

    public bool HasStub => IsNameStub || IsValueStub;

    /// <summary>The length of the value, also of one that a stub stands for (<see cref="ElementStub"/>).</summary>
    public int ValueLength => IsValueStub ? ElementStub.LengthOf(Value) : Value.Length;

    /// <summary>The length of the name, also of one that a stub stands for.</summary>
    public int NameLength => IsNameStub ? ElementStub.LengthOf(ElementStub.EndOf(Name)) : Name.Length;

    /// <summary>What it is ordered and found by: the name, or what a stub has of it (<see cref="NameStub"/>).</summary>
    public ReadOnlySpan<byte> OrderedName => IsNameStub ? NameStub.OrderedPartOf(Name) : Name;

    /// <summary>The stub of its block, the value's if it has one.</summary>
    public ReadOnlySpan<byte> Stub => IsValueStub ? Value : ElementStub.EndOf(Name);

    /// <summary>The bytes that it takes in a page.</summary>
    public int SizeOf(bool hasValue)
    {
        Debug.Assert(hasValue || Value.IsEmpty, "Elements of this order have no value.");
        return SizeOfPart(Name, IsNameStub) + (hasValue ? SizeOfValue : 0);
    }

    internal int SizeOfValue =>
        Moment == 0 ? SizeOfPart(Value, IsValueStub) : sizeof(ushort) + MomentSize + Value.Length;

    internal static int SizeOfPart(ReadOnlySpan<byte> bytes, bool isStub) =>
        bytes.Length + (isStub || bytes.Length >= LongFlag ? 2 : 1);
}
