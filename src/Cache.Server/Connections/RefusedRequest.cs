namespace Cache.Server.Connections;

/// <summary>A request that is passed over, since it could never be held.</summary>
/// <param name="argumentLength">The length of the argument that is too long; 0: all of them are together.</param>
/// <param name="bytesMax">How long it may have been.</param>
internal sealed class RefusedRequest(long argumentLength, long bytesMax)
{
    public long ArgumentLength => argumentLength;

    public long BytesMax => bytesMax;

    /// <summary>What is still to come of the argument that is passed over.</summary>
    public long BytesToPass { get; set; }
}
