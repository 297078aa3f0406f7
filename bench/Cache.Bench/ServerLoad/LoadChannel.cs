namespace Cache.Bench.ServerLoad;

/// <summary>Moves the bytes of one connection of the load: one send and one receive at a time.</summary>
/// <remarks>
/// An operation either ends at once, or its action is called when it has ended, on the thread that ended it. How it
/// ended is told by the properties until the next one begins.
/// </remarks>
internal abstract class LoadChannel(Stream stream) : IDisposable
{
    /// <summary>What a failure says of a peer that ended the connection.</summary>
    protected const string Closed = "The server closed a connection.";

    protected Stream Stream { get; } = stream;

    /// <summary>Called when a send has ended that did not at once.</summary>
    public required Action Sent { get; init; }

    /// <summary>Called when a receive has ended that did not at once.</summary>
    public required Action Received { get; init; }

    /// <summary>Why the last send failed; null if it did not.</summary>
    public abstract string? SendFailure { get; }

    /// <summary>Why the last receive failed; null if it did not.</summary>
    public abstract string? ReceiveFailure { get; }

    /// <summary>How many bytes came by the last receive.</summary>
    public abstract int ReceivedBytes { get; }

    /// <summary>Sends all of the bytes.</summary>
    /// <returns>Whether it goes on.</returns>
    public abstract bool Send(byte[] bytes, int count);

    /// <summary>Receives what there is, from an offset on.</summary>
    /// <returns>Whether it goes on.</returns>
    public abstract bool Receive(byte[] bytes, int offset);

    public virtual void Dispose() => Stream.Dispose();
}
