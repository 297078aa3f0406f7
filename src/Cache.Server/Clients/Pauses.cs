using System.Runtime.CompilerServices;

namespace Cache.Server.Clients;

/// <summary>CLIENT PAUSE: puts off all commands, or all writes, until a moment. Thread-safe.</summary>
/// <remarks>
/// While there is none, a command reads one field. A paused client is parked, and its command is executed afterwards.
/// </remarks>
/// <param name="clients">The clients that are connected.</param>
/// <param name="clock">The server's clock.</param>
internal sealed class Pauses(ClientRegistry clients, TimeProvider clock)
{
    private const double MillisecondsPerSecond = 1000;

    private readonly Lock _lock = new();
    private Pause? _present;

    // Read by every command: a pause, or something else that each command must be checked for.
    private volatile bool _checksAll;

    /// <summary>Whether there is one, or was until a moment ago.</summary>
    public bool AreThere => Volatile.Read(ref _present) is not null;

    /// <summary>Whether each command must be checked: for a pause, or because that was asked for.</summary>
    public bool CheckAll => _checksAll;

    /// <summary>Lets each command be checked even without a pause; set before the first command.</summary>
    public bool ChecksAlways
    {
        get;
        set
        {
            lock (_lock)
            {
                field = value;
                NotePause();
            }
        }
    }

    /// <summary>Begins a pause; one that is under way becomes neither shorter nor weaker.</summary>
    /// <param name="milliseconds">How long it lasts.</param>
    /// <param name="writesOnly">Whether reads go on.</param>
    public void Begin(long milliseconds, bool writesOnly)
    {
        // In Redis the end of such a pause has no number, and lies in the past.
        if (milliseconds > long.MaxValue - clock.GetUtcNow().ToUnixTimeMilliseconds())
            return;
        lock (_lock)
        {
            long now = clock.GetTimestamp();
            double ticks = milliseconds * (clock.TimestampFrequency / MillisecondsPerSecond);
            long endsAt = now + (long)Math.Min(ticks, long.MaxValue / 2.0);
            if (_present is { } present && present.EndsAt > now)
            {
                endsAt = Math.Max(endsAt, present.EndsAt);
                writesOnly &= present.WritesOnly;
            }

            Volatile.Write(ref _present, new Pause(endsAt, writesOnly));
            NotePause();
        }
    }

    /// <summary>Ends the pause, and lets the clients go on.</summary>
    public void End()
    {
        lock (_lock)
        {
            Volatile.Write(ref _present, null);
            NotePause();
        }

        // A client that parks itself meanwhile looks afterwards whether there is still a pause.
        Interlocked.MemoryBarrier();
        foreach (var client in clients.ToList())
            client.EndPause();
    }

    /// <summary>Whether there is a pause for a command, and how long it lasts.</summary>
    /// <param name="writes">Whether it writes, or is replicated all the same; or executes such commands.</param>
    /// <param name="rest">How long the pause lasts.</param>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    public bool PutsOff(bool writes, out TimeSpan rest)
    {
        rest = default;
        if (Volatile.Read(ref _present) is not { } pause)
            return false;
        if (pause.WritesOnly && !writes)
            return false;
        long now = clock.GetTimestamp();
        rest = clock.GetElapsedTime(now, pause.EndsAt);
        if (pause.EndsAt > now)
            return true;
        Forget(pause);
        return false;
    }

    /// <summary>Ends the suspension of a client that has parked itself while the pause ended.</summary>
    public void Confirm(Suspension suspension, long number)
    {
        Interlocked.MemoryBarrier(); // As in the end of a pause.
        if (Volatile.Read(ref _present) is null)
            suspension.TryEnd(number, SuspensionEnd.Event);
    }

    // Unless another one has begun.
    private void Forget(Pause pause)
    {
        lock (_lock)
        {
            if (_present != pause)
                return;
            Volatile.Write(ref _present, null);
            NotePause();
        }
    }

    // Behind each change of the pause, under the lock.
    private void NotePause() => _checksAll = _present is not null || ChecksAlways;

    private sealed record Pause(long EndsAt, bool WritesOnly);
}
