using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Cache.Server.Transport.Linux;

/// <summary>The event loops of a server, to which accepted sockets are dealt out in turn.</summary>
/// <remarks>
/// One acceptor deals, because sockets that listen on the same address each for one loop share the arrivals unevenly.
/// A loop without connections tells of arrivals: a long command on one of the others would keep everybody out.
/// Thread-safe.
/// </remarks>
internal sealed class EpollTransport : IDisposable
{
    // More than a loop needs that executes nothing long, on a busy machine too.
    private static readonly TimeSpan EndTime = TimeSpan.FromSeconds(1);

    private readonly EpollLoop[] _loops;
    private readonly EpollLoop? _arrivals;
    private readonly TimeProvider _timeProvider;
    private uint _next;

    /// <exception cref="System.ComponentModel.Win32Exception">The system has no descriptor left for a loop.</exception>
    public EpollTransport(int loopCount, TimeProvider timeProvider)
    {
        _timeProvider = timeProvider;
        _loops = new EpollLoop[loopCount];
        try
        {
            for (int i = 0; i < loopCount; i++)
                _loops[i] = new EpollLoop($"cache io {i}");
            _arrivals = new EpollLoop("cache accept");
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Whether this system has the calls that the loops need.</summary>
    public static bool IsSupported =>
        OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.Arm64;

    /// <summary>Accepts the connections of a socket that listens; close it before the transport is disposed.</summary>
    public EpollAcceptor Listen(Socket socket) => new(socket, Connect, _arrivals!);

    /// <summary>Makes a connection of the descriptor of a connected socket, which is its own from then on.</summary>
    public EpollConnection Connect(int descriptor, EndPoint remote, EndPoint local)
    {
        uint turn = Interlocked.Increment(ref _next);
        return new EpollConnection(descriptor, remote, local, _loops[turn % (uint)_loops.Length], _timeProvider);
    }

    /// <summary>Ends the loops; connections that still live are cut off.</summary>
    public void Dispose() => End();

    /// <summary>Ends the loops, all of them within a bounded time.</summary>
    /// <returns>How many go on, because they execute something long; each ends by itself after it.</returns>
    public int End()
    {
        EpollLoop?[] loops = [.. _loops, _arrivals];
        foreach (var loop in loops)
            loop?.Stop();
        int left = 0;
        long start = TimeProvider.System.GetTimestamp(); // What Join measures by.
        foreach (var loop in loops)
        {
            var rest = EndTime - TimeProvider.System.GetElapsedTime(start);
            if (loop is not null && !loop.TryEnd(rest > TimeSpan.Zero ? rest : TimeSpan.Zero))
                left++;
        }

        return left;
    }
}
