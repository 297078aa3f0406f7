namespace Cache.Core.Layout;

/// <summary>What the elements of a tree are ordered by: a number of a fixed length, then their names.</summary>
/// <remarks>A struct parameter: each order has code of its own, in which these are constants.</remarks>
internal interface ITreeOrder
{
    /// <summary>The bytes of the number: 8, 4, or 0 for elements that are ordered by their position alone.</summary>
    static abstract int KeySize { get; }

    /// <summary>Whether elements have a value.</summary>
    static abstract bool HasValue { get; }

    /// <summary>
    /// What dead trees and leaves with stubs are marked with, 1 to 7: who frees them knows nothing of their collection.
    /// </summary>
    static abstract int Code { get; }

    /// <summary>
    /// Whether it is the order of second trees alone: what their stubs stand for counts in the first ones.
    /// </summary>
    static abstract bool IsSecond { get; }
}

/// <summary>Fields with values, and members with scores, by 32 bits of their hash.</summary>
internal readonly struct ByHashWithValue : ITreeOrder
{
    public static int KeySize => sizeof(uint);

    public static bool HasValue => true;

    public static int Code => 1;

    public static bool IsSecond => false;
}

/// <summary>Members by 32 bits of their hash.</summary>
internal readonly struct ByHash : ITreeOrder
{
    public static int KeySize => sizeof(uint);

    public static bool HasValue => false;

    public static int Code => 2;

    public static bool IsSecond => false;
}

/// <summary>Members by a score as 64 sortable bits, and fields by the moment at which they expire.</summary>
internal readonly struct ByScore : ITreeOrder
{
    public static int KeySize => sizeof(ulong);

    public static bool HasValue => false;

    public static int Code => 3;

    public static bool IsSecond => true;
}

/// <summary>Entries by a number of 64 bits and the bytes of their names, with values.</summary>
internal readonly struct ByNumber : ITreeOrder
{
    public static int KeySize => sizeof(ulong);

    public static bool HasValue => true;

    public static int Code => 4;

    public static bool IsSecond => false;
}

/// <summary>Items by their position.</summary>
internal readonly struct ByPosition : ITreeOrder
{
    public static int KeySize => 0;

    public static bool HasValue => false;

    public static int Code => 5;

    public static bool IsSecond => false;
}
