namespace Cache.Server.Connections;

/// <summary>A request that is passed over because it exceeds the memory of all clients.</summary>
/// <param name="argumentLength">The length of the argument that is too long; 0: all arguments together are.</param>
/// <param name="bytesMax">The longest that would have been allowed.</param>
internal sealed class RefusedRequest(long argumentLength, long bytesMax)
{
    public long ArgumentLength => argumentLength;

    public long BytesMax => bytesMax;

    /// <summary>The bytes of the passed-over argument that have not arrived yet.</summary>
    public long BytesToPass { get; set; }
}
