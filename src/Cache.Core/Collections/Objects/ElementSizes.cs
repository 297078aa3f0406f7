using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Which elements lie in pages, and which have a block of their own.</summary>
internal static class ElementSizes
{
    /// <summary>The longest name that lies in pages; of a longer one a tree by members has so much.</summary>
    public const int NameLengthMax = 1_024;

    /// <summary>Whether an element of so many bytes lies in the pages of a tree.</summary>
    public static bool Fits(int nameLength, int valueLength) =>
        nameLength <= NameLengthMax && (long)nameLength + valueLength <= TreeEntry.LengthMax;

    /// <summary>Whether an element is one that gets a block of its own.</summary>
    public static bool IsLong(int nameLength, int valueLength, int lengthMax) =>
        !Fits(nameLength, valueLength) && nameLength <= lengthMax && valueLength <= lengthMax;
}
