namespace Cache.Core.Collections.Packed;

/// <summary>A read of a small collection; a struct type argument, so that the call is no interface call.</summary>
internal interface IPackedQuery
{
    /// <summary>
    /// Reads the collection as it is stored. Without a lock: the bytes may be torn, which throws nothing, and then it
    /// is called again. So what it found before means nothing, and no caller is told yet.
    /// </summary>
    void Read(ReadOnlySpan<byte> packed);

    /// <summary>
    /// Copies what was read, once it is known to belong together: lengths can be trusted, bytes may be torn. It may be
    /// called again, behind another read.
    /// </summary>
    void Copy(ReadOnlySpan<byte> packed);
}
