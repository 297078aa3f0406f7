namespace Cache.Core.Collections.Packed;

/// <summary>A read of a small collection; a struct type argument, so that the call is no interface call.</summary>
internal interface IPackedQuery
{
    /// <summary>
    /// Reads the collection as it is stored. Without a lock: the bytes may be torn, which throws nothing, and then it
    /// is called again. So what it found before means nothing, and no caller is told yet.
    /// </summary>
    void Read(ReadOnlySpan<byte> packed);
}
