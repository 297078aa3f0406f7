using System.Net.Sockets;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Diagnostics;
using Cache.Server.Protocol;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Connections;

/// <summary>Serves one client of the admin socket on a thread of its own, with blocking calls.</summary>
/// <remarks>
/// The client is in no list and counts for no limit; its user is in no list either, and may do everything.
/// A command's reply is sent by whoever changes the state from Busy first: this thread, or the one that found the
/// command to last too long, which says so. Then the connection is at its end; the command goes on.
/// States: Idle → (a request is there) Busy → (its reply) Idle; Busy → (it lasts too long) Late.
/// </remarks>
internal sealed class AdminClient(
    Socket socket, string path, ServerState server, ILogger logger, Action<AdminClient> ended)
{
    /// <summary>The longest request: rules of a user take some kilobytes.</summary>
    public const int RequestBytesMax = 1024 * 1024;

    // CLIENT LIST of a hundred thousand clients.
    private const int ReplyBytesMax = 64 * 1024 * 1024;

    private const int SendTimeoutMs = 2000;
    private const int FirstBufferBytes = 4096;

    private const int Idle = 0;
    private const int Busy = 1;
    private const int Late = 2;

    // Not the store's clock: real threads are measured.
    private static readonly TimeProvider _clock = TimeProvider.System;

    private byte[] _input = new byte[FirstBufferBytes];
    private int _state = Busy; // Until it waits for the first request.
    private long _since = _clock.GetTimestamp();
    private volatile string _commandName = "";

    private static ReadOnlySpan<byte> LateReply =>
        "-ERR this command has not ended in time; it may wait for a thread that hangs, and have its effect later. "u8;

    private static ReadOnlySpan<byte> LateAdvice =>
        "The connection ends. CLIENT LIST, CACHE DOCTOR and CACHE EVENTS wait for nobody\r\n"u8;

    private static ReadOnlySpan<byte> TooLongRequest => "-ERR a request to the admin socket has at most 1 MB\r\n"u8;

    private static ReadOnlySpan<byte> TooLongReply => "-ERR the reply is longer than 64 MB\r\n"u8;

    /// <summary>Whether a command is being executed.</summary>
    public bool IsBusy => Volatile.Read(ref _state) != Idle;

    /// <summary>When its last command ended; a timestamp.</summary>
    public long SilentSince => Volatile.Read(ref _since);

    /// <summary>The command that is being executed.</summary>
    public string CommandName => _commandName;

    /// <summary>Sends a short reply, if the peer has room for it; never waits.</summary>
    public static void TrySend(Socket socket, ReadOnlySpan<byte> reply)
    {
        try
        {
            if (socket.Poll(0, SelectMode.SelectWrite))
                socket.Send(reply);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The peer has left.
        }
    }

    /// <summary>Ends the connection, from any thread.</summary>
    public void End()
    {
        try
        {
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // It has ended already.
        }
    }

    /// <summary>Replies in place of a command that lasts too long, and ends the connection. Another thread.</summary>
    /// <returns>Whether it did.</returns>
    public bool TryEndLateCommand(TimeSpan timeMax)
    {
        if (Volatile.Read(ref _state) != Busy || _clock.GetElapsedTime(Volatile.Read(ref _since)) < timeMax
            || Interlocked.CompareExchange(ref _state, Late, Busy) != Busy)
        {
            return false;
        }

        TrySend(socket, [.. LateReply, .. LateAdvice]);
        End();
        return true;
    }

    /// <summary>Serves the client until either side ends. Never fails.</summary>
    public void Serve()
    {
        try
        {
            socket.SendTimeout = SendTimeoutMs;
            var client = new ClientSession(
                0, new ClientEndPoints(path, path, isUnixSocket: true, isLocal: true), server.Users.Administrator,
                server.NowMs, socket, static socket => ((Socket)socket).Dispose())
            { IsAuthenticated = true };
            var output = new CollectingPipeWriter();
            var context = server.Contexts.Borrow();
            try
            {
                context.Begin(client, output);
                Serve(context, output);
            }
            finally
            {
                context.End();
                server.Contexts.GiveBack(context);
            }
        }
        catch (Exception e) when (e is SocketException or IOException or ObjectDisposedException)
        {
            // The peer has left, or another thread has ended the connection.
        }
#pragma warning disable CA1031 // A failure in one connection ends only that connection.
        catch (Exception e)
#pragma warning restore CA1031
        {
            ServerLog.AdminSocketFailed(logger, path, e);
        }

        socket.Dispose();
        ended(this);
    }

    private void Serve(CommandContext context, CollectingPipeWriter output)
    {
        var reader = new RespRequestReader { BulkBytesMax = RequestBytesMax };
        int start = 0;
        int end = 0;
        if (!TryBecomeIdle())
            return;
        while (!context.Client.ShouldClose)
        {
            var status = reader.TryRead(_input.AsSpan(start, end - start));
            if (status == RespReadStatus.Incomplete)
            {
                MakeRoom(ref start, ref end);
                if (end == RequestBytesMax)
                {
                    Send(TooLongRequest);
                    return;
                }

                int received = socket.Receive(_input.AsSpan(end));
                if (received == 0)
                    return;
                end += received;
                continue;
            }

            if (status == RespReadStatus.ProtocolError)
            {
                Send([(byte)'-', .. reader.Error, (byte)'\r', (byte)'\n']);
                return;
            }

            bool isRequest = status == RespReadStatus.Complete;
            if (isRequest && !TryAnswer(reader.GetRequest(_input.AsSpan(start)), context, output))
                return;
            start += reader.Consumed;
        }
    }

    /// <returns>Whether this thread answered; else the connection is at its end.</returns>
    private bool TryAnswer(in RespRequest request, CommandContext context, CollectingPipeWriter output)
    {
        Volatile.Write(ref _since, _clock.GetTimestamp());
        _commandName = AdminCommands.NameOf(request);
        Volatile.Write(ref _state, Busy);
        context.EnterWithoutDatabases();
        Execute(request, context);
        context.Output.BeginFlush();
        if (!TryBecomeIdle())
            return false;
        Send(output.Written.Length > ReplyBytesMax ? TooLongReply : output.Written);
        output.Clear();
        return true;
    }

    // A command that parks its client, as SHUTDOWN does while files are saved, is called again after the wait.
    private void Execute(in RespRequest request, CommandContext context)
    {
        CommandDispatcher.ExecuteOfAdministrator(request, context);
        while (context.GaveWay)
        {
            if (context.Client.IsParked)
            {
                context.SuspensionEnd = context.Client.Suspension.WaitAsync(server.TimeProvider).AsTask()
                    .GetAwaiter().GetResult();
            }

            context.Stay();
            CommandDispatcher.ExecuteOfAdministrator(request, context);
            context.SuspensionEnd = SuspensionEnd.None;
        }
    }

    private bool TryBecomeIdle()
    {
        Volatile.Write(ref _since, _clock.GetTimestamp());
        return Interlocked.CompareExchange(ref _state, Idle, Busy) == Busy;
    }

    // The bytes of the present request come to the beginning of the buffer, which grows where they fill it.
    private void MakeRoom(ref int start, ref int end)
    {
        if (start > 0)
            _input.AsSpan(start, end - start).CopyTo(_input);
        (start, end) = (0, end - start);
        if (end == _input.Length)
            Array.Resize(ref _input, Math.Min(2 * _input.Length, RequestBytesMax));
    }

    private void Send(ReadOnlySpan<byte> reply)
    {
        while (reply.Length > 0)
            reply = reply[socket.Send(reply)..];
    }
}
