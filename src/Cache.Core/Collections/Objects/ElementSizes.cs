using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Which elements lie in pages, which have a block of their own, and which are too long.</summary>
internal static class ElementSizes
{
    // Names are compared in pages.
    private const int NameLengthMax = TreeEntry.LengthMax - ElementStub.Size;

    /// <summary>Whether an element of so many bytes can lie in the pages of a tree.</summary>
    public static bool Fits(long bytes) => bytes <= TreeEntry.LengthMax;

    /// <summary>Whether the value of an element is one that gets a block of its own.</summary>
    public static bool IsLong(int nameLength, int valueLength, int valueLengthMax) =>
        !Fits((long)nameLength + valueLength) && nameLength <= NameLengthMax && valueLength <= valueLengthMax;

    /// <summary>Whether an element may be in a large collection, of any limits.</summary>
    public static bool MayBeStored(int nameLength, int valueLength) =>
        Fits((long)nameLength + valueLength) || IsLong(nameLength, valueLength, int.MaxValue);
}
