using System.IO.Pipelines;
using System.Net;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Server.Transport;

/// <summary>One connection as the stages above see it: bytes come out of a pipe, bytes go into a pipe.</summary>
/// <remarks>
/// The transport knows nothing of what the bytes mean. The owner awaits <see cref="OpenAsync"/>, reads
/// <see cref="Input"/> and writes <see cref="Output"/> from one thread at a time, completes both, and disposes the
/// connection. Memory of <see cref="Output"/> is backed by arrays. The pipes run their continuations on the thread that
/// caused them.
/// </remarks>
internal abstract class TransportConnection : IAsyncDisposable
{
    /// <summary>
    /// Bytes from the peer; completed when the peer has closed its side, with a SocketException or an IOException when
    /// the connection broke or was aborted.
    /// </summary>
    public abstract PipeReader Input { get; }

    /// <summary>
    /// Bytes to the peer. A flush completes when the transport has taken them over within its own bound; its result
    /// says IsCompleted, and no flush fails, once the connection is broken or aborted. Where it is a
    /// <see cref="LendingPipeWriter"/>, long bytes need not be copied into it.
    /// </summary>
    public abstract PipeWriter Output { get; }

    /// <summary>
    /// The bytes that the system has taken for the peer so far; from any thread, perhaps a moment old. While a flush
    /// waits, it shows whether the peer receives anything.
    /// </summary>
    public abstract long SentBytes { get; }

    /// <summary>
    /// The bytes of memory for flushed bytes that the system has not taken yet; from any thread, perhaps a moment old.
    /// 0 if nothing waits.
    /// </summary>
    public abstract long UnsentMemoryBytes { get; }

    /// <summary>
    /// How long an incomplete record, whose bytes cannot be read yet, has got no more bytes; zero if there is none.
    /// From any thread, perhaps a moment old.
    /// </summary>
    public virtual TimeSpan PartialInputAge => TimeSpan.Zero;

    /// <summary>
    /// Whether the pipes' continuations run on a thread that other connections wait for, so that long work must be done
    /// elsewhere.
    /// </summary>
    public virtual bool SharesThread => false;

    /// <summary>The number of the socket's descriptor, for display only; −1 if there is none.</summary>
    public virtual int Descriptor => -1;

    /// <summary>The peer's address; null or unnamed if the transport knows none.</summary>
    public abstract EndPoint? RemoteEndPoint { get; }

    /// <summary>The address on which the connection arrived.</summary>
    public abstract EndPoint? LocalEndPoint { get; }

    /// <summary>The trusted certificate that the peer showed; null for none, and until it is open.</summary>
    public virtual X509Certificate2? ClientCertificate => null;

    /// <summary>
    /// Does what must come before the first byte, such as a handshake; may end on another thread. Bytes written before
    /// its end are lost.
    /// </summary>
    /// <exception cref="IOException">The peer did not complete the handshake, or not in time.</exception>
    public virtual ValueTask OpenAsync() => ValueTask.CompletedTask;

    /// <summary>
    /// Stops receiving, from any thread: bytes that have arrived can still be read from <see cref="Input"/>, which then
    /// completes, or whose pending read is canceled once.
    /// </summary>
    public abstract void StopReceiving();

    /// <summary>
    /// Whether the peer sends nothing more, from any thread: it closed its side, or the connection broke. Bytes that it
    /// sent before may still be unread.
    /// </summary>
    public virtual bool IsPeerGone => false;

    /// <summary>
    /// Lets the transport receive bytes that the owner does not ask for, up to a bound, so that the peer's end behind
    /// them is seen; or no more. For the owner, which does not read meanwhile, and has consumed or examined all that
    /// it has got.
    /// </summary>
    public virtual void ReceiveAhead(bool isOn)
    {
    }

    /// <summary>The memory for such bytes; from any thread, perhaps a moment old.</summary>
    public virtual long AheadMemoryBytes => 0;

    /// <summary>
    /// Executes short work of the connection's owner soon, from any thread: if a thread serves several connections, on
    /// that thread, between their events; else on the thread pool.
    /// </summary>
    public virtual void Post(Action<object> work, object state) =>
        ThreadPool.UnsafeQueueUserWorkItem(work, state, preferLocal: false);

    /// <summary>
    /// Begins something on the thread that others wait for (<see cref="SharesThread"/>), in a continuation of the
    /// pipes: if it takes long, these get another thread.
    /// </summary>
    /// <returns>False: it must be done elsewhere.</returns>
    public virtual bool TryBeginLong() => false;

    /// <summary>Ends what <see cref="TryBeginLong"/> has begun.</summary>
    public virtual void EndLong()
    {
    }

    /// <summary>Ends the connection at once, from any thread; unsent bytes are lost.</summary>
    public abstract void Abort();

    /// <summary>
    /// Sends the written bytes, closes such that they arrive even if the peer is still sending, and frees the socket;
    /// gives up after a bounded time.
    /// </summary>
    public abstract ValueTask DisposeAsync();
}
