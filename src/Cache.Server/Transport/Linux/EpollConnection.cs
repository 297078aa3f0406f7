using System.ComponentModel;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;

namespace Cache.Server.Transport.Linux;

/// <summary>A connection whose socket an <see cref="EpollLoop"/> watches.</summary>
/// <remarks>
/// The loop's thread and the owner's (mostly the same, because continuations run inline) share the interest, the state
/// of the input and that of the output, all guarded by <see cref="Gate"/>. A continuation is never run under the gate.
/// The descriptor is used only under the gate and before the socket is closed, when both directions are ended under the
/// same gate: the system reuses its number.
/// </remarks>
internal sealed class EpollConnection : TransportConnection
{
    // As in the portable transport: for the last replies, and for the peer's end of stream.
    private static readonly TimeSpan LastSendTime = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan GoodbyeTime = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _timeProvider;
    private readonly EpollInput _input;
    private readonly EpollOutput _output;

    // Guarded by the gate.
    private uint _interest = LinuxCalls.EventIn;
    private bool _attached;
    private bool _closed;

    /// <param name="descriptor">The descriptor of a connected socket; the connection owns it from now on.</param>
    /// <param name="remote">The peer's address.</param>
    /// <param name="local">The socket's own address.</param>
    /// <param name="loop">Watches the socket from now on.</param>
    /// <param name="timeProvider">Measures how long closing may take.</param>
    public EpollConnection(
        int descriptor, EndPoint remote, EndPoint local, EpollLoop loop, TimeProvider timeProvider)
    {
        Loop = loop;
        _timeProvider = timeProvider;
        RemoteEndPoint = remote;
        LocalEndPoint = local;
        Descriptor = descriptor;
        _input = new EpollInput(this);
        _output = new EpollOutput(this);
        loop.Add(this);
    }

    public Lock Gate { get; } = new();

    public EpollLoop Loop { get; }

    /// <summary>The socket's descriptor, valid until <see cref="CloseSocket"/>.</summary>
    public override int Descriptor { get; }

    /// <summary>The number of the connection in the loop; unlike the descriptor, never reused.</summary>
    public ulong Number { get; private set; }

    public override PipeReader Input => _input;

    public override PipeWriter Output => _output;

    public override long SentBytes => _output.SentBytes;

    public override long UnsentMemoryBytes => _output.UnsentMemoryBytes;

    public override bool SharesThread => true;

    public override EndPoint? RemoteEndPoint { get; }

    public override EndPoint? LocalEndPoint { get; }

    /// <summary>Begins the watch. The loop's thread.</summary>
    public bool TryAttach(ulong number)
    {
        int error;
        lock (Gate)
        {
            if (_closed)
                return false;
            Number = number;
            _attached = Loop.Control(LinuxCalls.ControlAdd, Descriptor, _interest, number) == 0;
            if (_attached)
                return true;
            error = LinuxCalls.LastError;
        }

        OnBroken(new IOException("The connection cannot be watched.", new Win32Exception(error)));
        return false;
    }

    /// <summary>Adds to and removes from the interest. The gate is held.</summary>
    public void ChangeInterest(uint add, uint remove)
    {
        uint interest = (_interest | add) & ~remove;
        if (interest == _interest)
            return;
        _interest = interest;
        if (_attached)
            Loop.Control(LinuxCalls.ControlModify, Descriptor, interest, Number);
    }

    /// <summary>Receives and sends what the socket is ready for. The loop's thread.</summary>
    public void OnReady(uint events)
    {
        if ((events & (LinuxCalls.EventError | LinuxCalls.EventHangUp)) != 0)
            OnHangUp();
        if ((events & LinuxCalls.EventOut) != 0)
        {
            _output.OnWritable();
            if (!Loop.IsHere)
                return; // Waiting code has gone on, and has taken long. The events are reported again.
        }

        if ((events & ~LinuxCalls.EventOut) != 0)
            _input.OnReadable();
    }

    /// <summary>Ends both directions. Waiting code continues on the thread pool, so the gate may be held.</summary>
    public void OnBroken(Exception error)
    {
        _output.OnBroken();
        _input.OnBroken(error);
    }

    // Not by a shutdown of this side: bytes that arrive after it reset the connection, and the last replies are lost.
    public override void StopReceiving() => _input.StopReceiving();

    public override bool IsPeerGone
    {
        get
        {
            lock (Gate)
                return _closed || _input.HasPeerEnded || LinuxCalls.HasPeerGone(Descriptor);
        }
    }

    public override void ReceiveAhead(bool isOn) => _input.ReceiveAhead(isOn);

    public override long AheadMemoryBytes => _input.AheadMemoryBytes;

    public override void Post(Action<object> work, object state) => Loop.Post(work, state);

    public override bool TryBeginLong() => Loop.TryBeginLong();

    public override void EndLong() => Loop.EndLong();

    public override void Abort()
    {
        // First: else the loop could see the end that the shutdown causes, and take it for the peer's.
        OnBroken(new SocketException((int)SocketError.OperationAborted));
        TryShutdown(LinuxCalls.ShutBoth);
    }

    // The sending side is shut down first, and bytes that still arrive are discarded until the peer has closed too: a
    // socket that is closed with unread bytes resets the connection, and the reset can overtake the last reply.
    public override async ValueTask DisposeAsync()
    {
        await WaitAsync(_output.WhenDrained(), LastSendTime).ConfigureAwait(false);
        TryShutdown(LinuxCalls.ShutSend);
        await WaitAsync(_input.WhenEnded(), GoodbyeTime).ConfigureAwait(false);
        Loop.Remove(this);
    }

    /// <summary>Closes the socket, and with it the watch. The loop's thread.</summary>
    public void CloseSocket()
    {
        lock (Gate)
        {
            if (_closed)
                return;
            _closed = true;
            _attached = false;
            OnBroken(new SocketException((int)SocketError.OperationAborted));
            _ = LinuxCalls.Close(Descriptor);
        }
    }

    private async ValueTask WaitAsync(Task end, TimeSpan time)
    {
        if (!end.IsCompleted)
            await end.WaitAsync(time, _timeProvider).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private void TryShutdown(int side)
    {
        lock (Gate)
        {
            if (!_closed)
                _ = LinuxCalls.Shutdown(Descriptor, side); // Fails if the peer was faster.
        }
    }

    // A hang-up is reported for ever, wanted or not. So the socket is no longer watched; its bytes are still read on
    // demand.
    private void OnHangUp()
    {
        lock (Gate)
        {
            if (!_attached)
                return;
            _attached = false;
            Loop.Control(LinuxCalls.ControlDelete, Descriptor, 0, Number);
            _input.IsUnwatched = true;
        }

        _output.OnBroken();
    }
}
