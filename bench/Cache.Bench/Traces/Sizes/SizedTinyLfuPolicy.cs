using Cache.Bench.Traces.Policies;

namespace Cache.Bench.Traces.Sizes;

/// <summary>
/// W-TinyLFU with aggregated victims: a new entry comes into main if it was used as often as all those together that
/// would have to go for its bytes.
/// </summary>
/// <remarks>
/// Victims of one that is not admitted count as used, so that others are tried the next time; no more of them are
/// looked at than tell. The window's share is fixed. Source: Einziger, Eytan, Friedman and Manes, Lightweight Robust
/// Size Aware Cache Management, TOS'22 (AV).
/// </remarks>
internal sealed class SizedTinyLfuPolicy : ISizedPolicy
{
    private const int Window = 1;
    private const int Probation = 2;
    private const int Protected = 3;
    private const double ProtectedShare = 0.8;

    private readonly int[] _sizes;
    private readonly SizedLists _lists;
    private readonly FrequencySketch _sketch;
    private readonly long _windowMax;
    private readonly long _mainMax;
    private readonly long _protectedMax;

    /// <param name="sizes">The bytes of each id.</param>
    /// <param name="capacity">The bytes of all entries.</param>
    /// <param name="windowShare">The part of them for the window.</param>
    public SizedTinyLfuPolicy(int[] sizes, long capacity, double windowShare)
    {
        _sizes = sizes;
        _lists = new SizedLists(sizes, Protected);
        _windowMax = (long)(capacity * windowShare);
        _mainMax = capacity - _windowMax;
        _protectedMax = (long)(_mainMax * ProtectedShare);
        double meanBytes = Math.Max(1, sizes.Average());
        _sketch = new FrequencySketch((int)Math.Clamp(capacity / meanBytes, 1, sizes.Length));
    }

    public long Bytes => _lists.Bytes(Window) + MainBytes;

    private long MainBytes => _lists.Bytes(Probation) + _lists.Bytes(Protected);

    public bool Access(int id)
    {
        _sketch.Add(id);
        switch (_lists.ListOf(id))
        {
            case Window:
                _lists.Move(id, Window);
                return true;
            case Probation or Protected:
                Promote(id);
                return true;
        }

        if (_sizes[id] <= _mainMax)
            Add(id);
        return false;
    }

    private void Add(int id)
    {
        // One that is larger than the window does not push all others out of it.
        if (_sizes[id] > _windowMax)
        {
            Offer(id);
            return;
        }

        while (_lists.Bytes(Window) + _sizes[id] > _windowMax)
        {
            int candidate = _lists.Oldest(Window);
            _lists.Remove(candidate);
            Offer(candidate);
        }

        _lists.Move(id, Window);
    }

    private void Offer(int candidate)
    {
        long needed = MainBytes + _sizes[candidate] - _mainMax;
        int usesLeft = _sketch.CountOf(candidate);
        int victims = 0;
        int victim = FirstVictim();
        for (long bytes = 0; bytes < needed && usesLeft >= 0; victims++)
        {
            bytes += _sizes[victim];
            usesLeft -= _sketch.CountOf(victim);
            victim = NextVictim(victim);
        }

        for (int i = 0; i < victims; i++)
        {
            if (usesLeft >= 0)
                _lists.Remove(FirstVictim());
            else
                Promote(FirstVictim());
        }

        if (usesLeft >= 0)
            _lists.Move(candidate, Probation);
    }

    private int FirstVictim() =>
        _lists.Count(Probation) > 0 ? _lists.Oldest(Probation) : _lists.Oldest(Protected);

    private int NextVictim(int victim)
    {
        int next = _lists.NewerThan(victim);
        return next == IdLists.NoId && _lists.ListOf(victim) == Probation ? _lists.Oldest(Protected) : next;
    }

    private void Promote(int id)
    {
        _lists.Move(id, Protected);
        while (_lists.Bytes(Protected) > _protectedMax)
            _lists.Move(_lists.Oldest(Protected), Probation);
    }
}
