using System.Diagnostics;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Dispatch;

/// <remarks>While a script takes long: its keys are held, and others execute commands with the rest.</remarks>
internal sealed partial class Databases
{
    private long _refusesAt; // As _busyAt, also while that is not to be.
    private long _admitAt; // A time stamp; 0: nobody is let in.
    private HeldKeys? _holding; // What is held from then on. Written by who is alone.
    private HeldKeys? _held;
    private bool _isHindered; // Busy, or keys are held: what each command reads.
    private int _putOffCount; // Of the clients that wait for held keys, at least.

    /// <summary>
    /// How long all others wait for a script, before those are let in who use other keys. Most scripts have ended by
    /// then, and nobody has asked which keys a command has.
    /// </summary>
    public TimeSpan HoldAloneMax { get; set; } = TimeSpan.FromMilliseconds(20);

    /// <summary>Whether commands are refused, or keys held.</summary>
    public bool IsHindered => Volatile.Read(ref _isHindered);

    /// <summary>
    /// The keys that a script uses now, which nobody else may; null: none. During a visit they may only be given up.
    /// </summary>
    public HeldKeys? Held => Volatile.Read(ref _held);

    /// <summary>Called when a script has ended that others had to wait for, by its thread.</summary>
    public Action? Released { get; set; }

    /// <summary>How long a client has to wait that was put off, if nothing changes; infinite: until the end.</summary>
    public TimeSpan FindRest()
    {
        long refusesAt = Volatile.Read(ref _refusesAt);
        if (refusesAt == 0)
            return Timeout.InfiniteTimeSpan;
        var clock = TimeProvider.System;
        var rest = clock.GetElapsedTime(clock.GetTimestamp(), refusesAt);
        return rest > BusyPoll ? rest : BusyPoll;
    }

    /// <summary>
    /// Called by a visitor after it has parked its client, to whom <see cref="Released"/> is to be told.
    /// </summary>
    /// <returns>False: nothing is held any more, and it may have been told to nobody.</returns>
    public bool TryNotePutOff()
    {
        Interlocked.Increment(ref _putOffCount); // A fence, as in the end.
        return Held is not null;
    }

    /// <summary>
    /// Called by who is alone: from some moment on others may enter, for it uses no other keys, and nothing but keys,
    /// unless it asks to be alone again (<see cref="TryKeepAlone"/>).
    /// </summary>
    /// <param name="keys">The keys; not changed until the end.</param>
    public void HoldOnly(HeldKeys keys)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        _holding = keys;
        long ticks = (long)TicksOf(HoldAloneMax.TotalMilliseconds);
        Volatile.Write(ref _admitAt, TimeProvider.System.GetTimestamp() + ticks);
    }

    /// <summary>Called by who is alone, or was until others were let in: it is alone from now to the end.</summary>
    /// <returns>False if the commands of the others took too long.</returns>
    public bool TryKeepAlone()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        lock (_busyLock)
        {
            _admitAt = 0;
            if (_held is null)
                return true;

            // Those who enter to be refused would be waited for, again and again.
            Volatile.Write(ref _busyAt, 0);
            Volatile.Write(ref _isBusy, false);
        }

        bool isAlone = TryEmpty(OpenForTurns, LongWaitMax) && TryEmpty(Closed, TurnWaitMax);
        lock (_busyLock)
        {
            if (isAlone)
                Volatile.Write(ref _held, null);
            else
                Volatile.Write(ref _door, OpenForAll);
            Volatile.Write(ref _busyAt, _refusesAt);
        }

        return isAlone;
    }

    // Those who wait let themselves in: who is alone may be in a call that looks at no clock.
    private bool TryAdmit()
    {
        long admitAt = Volatile.Read(ref _admitAt);
        if (admitAt == 0 || TimeProvider.System.GetTimestamp() < admitAt)
            return false;
        lock (_busyLock)
        {
            if (_admitAt != admitAt)
                return false; // It has ended, or wants to be alone.
            _admitAt = 0;
            Volatile.Write(ref _held, _holding);
            Volatile.Write(ref _isHindered, true);
            Volatile.Write(ref _door, OpenForAll);
        }

        return true;
    }
}
