using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>What a tree has of a value too long for its pages: a block, of which the value is the end.</summary>
/// <remarks>
/// <code>
///  block's address 8 │ value length 4
/// </code>
/// Read from a page that another thread may be changing, its length is garbage until the version is the same as
/// before, and its block is never looked at: who holds the collection takes a reference first.
/// </remarks>
internal readonly struct ElementStub(LargeBlock block, int length)
{
    public const int Size = LargeBlock.StubLength + sizeof(int);

    public LargeBlock Block { get; } = block;

    /// <summary>The length of the value.</summary>
    public int Length { get; } = length;

    /// <summary>The value; the caller has a reference to the block.</summary>
    public ReadOnlySpan<byte> Value => Block.Value[^Length..];

    public static ElementStub Read(ReadOnlySpan<byte> bytes)
    {
        Debug.Assert(bytes.Length == Size);
        return new ElementStub(LargeBlock.ReadStub(bytes), LengthOf(bytes));
    }

    /// <summary>The length of the value, of whatever is there.</summary>
    public static int LengthOf(ReadOnlySpan<byte> bytes) =>
        bytes.Length < Size ? 0 : Math.Max(0, MemoryMarshal.Read<int>(bytes[LargeBlock.StubLength..]));

    /// <summary>The stub at the end of bytes, of whatever is there.</summary>
    public static ReadOnlySpan<byte> EndOf(ReadOnlySpan<byte> bytes) =>
        bytes.Length < Size ? default : bytes[^Size..];

    public void Write(Span<byte> bytes)
    {
        Block.WriteStub(bytes);
        MemoryMarshal.Write(bytes[LargeBlock.StubLength..], Length);
    }
}
