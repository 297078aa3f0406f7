using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Cache.Server.Transport.Linux;

/// <summary>The event loops of a server; they get accepted sockets in turn.</summary>
/// <remarks>
/// One acceptor distributes them: one listening socket per loop, on the same address, would share the arrivals
/// unevenly. A separate loop without connections reports arrivals: a long command on one of the others would delay all
/// arrivals. Thread-safe.
/// </remarks>
internal sealed class EpollTransport : IDisposable
{
    // More than a loop without a long command needs, on a busy machine too.
    private static readonly TimeSpan EndTime = TimeSpan.FromSeconds(1);

    private readonly EpollLoop[] _loops;
    private readonly LoopWatch _watch;
    private readonly EpollLoop? _arrivals;
    private readonly TimeProvider _timeProvider;
    private uint _next;

    /// <exception cref="System.ComponentModel.Win32Exception">The system has no descriptor left for a loop.</exception>
    public EpollTransport(int loopCount, TimeProvider timeProvider)
    {
        _timeProvider = timeProvider;
        _loops = new EpollLoop[loopCount];
        _watch = new LoopWatch(_loops);
        try
        {
            for (int i = 0; i < loopCount; i++)
                _loops[i] = new EpollLoop($"cache io {i}", _watch.TrySee);
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

    /// <summary>Creates a connection from the descriptor of a connected socket, and owns it from then on.</summary>
    public EpollConnection Connect(int descriptor, EndPoint remote, EndPoint local)
    {
        uint turn = Interlocked.Increment(ref _next);
        return new EpollConnection(descriptor, remote, local, _loops[turn % (uint)_loops.Length], _timeProvider);
    }

    /// <summary>The longest round of any loop since this was asked last.</summary>
    /// <param name="goesOn">Whether rounds are measured from now on; they are not at first.</param>
    public TimeSpan TakeLongestRound(bool goesOn)
    {
        var longest = TimeSpan.Zero;
        foreach (var loop in _loops)
        {
            if (loop.TakeLongestRound(goesOn) is var round && round > longest)
                longest = round;
        }

        return longest;
    }

    /// <summary>Ends the loops, and aborts the remaining connections.</summary>
    public void Dispose() => End();

    /// <summary>Ends the loops, all of them within a bounded time.</summary>
    /// <returns>The number of loops that still execute a long command; each ends after it.</returns>
    public int End()
    {
        _watch.Dispose();
        EpollLoop?[] loops = [.. _loops, _arrivals];
        foreach (var loop in loops)
            loop?.Stop();
        int left = 0;
        long start = TimeProvider.System.GetTimestamp(); // The clock of Join.
        foreach (var loop in loops)
        {
            var rest = EndTime - TimeProvider.System.GetElapsedTime(start);
            if (loop is not null && !loop.TryEnd(rest > TimeSpan.Zero ? rest : TimeSpan.Zero))
                left++;
        }

        return left;
    }
}
