namespace Cache.Bench.Traces.Policies;

/// <summary>W-TinyLFU: a window of new entries; the main part admits what is used more than its victim.</summary>
/// <remarks>
/// The window's size climbs towards the better hit ratio. Sources: Einziger, Friedman and Manes, TOS'17; the climber as
/// Caffeine has it (Einziger, Eytan, Friedman and Manes, Middleware'18).
/// </remarks>
internal sealed class TinyLfuPolicy : IEntryPolicy
{
    private const int Window = 1;
    private const int Probation = 2;
    private const int Protected = 3;

    private const double WindowShareAtFirst = 0.01;
    private const double ProtectedShare = 0.8;

    // A sample of the climber, in capacities; the first step, its decay, and the change after which it begins anew.
    private const int SampleFactor = 10;
    private const double StepShare = 0.0625;
    private const double StepDecay = 0.98;
    private const double RestartChange = 0.05;

    // A new entry that was used this often may win against an equal victim, once in so many times: against attacks.
    private const int WarmUses = 6;
    private const int LuckDivisor = 128;

    private readonly IdLists _lists;
    private readonly FrequencySketch _sketch;
    private readonly Random _random = new(1);
    private readonly int _capacity;
    private double _windowMax;
    private double _protectedMax;

    // Of the climber.
    private int _hits;
    private int _misses;
    private double _ratioBefore;
    private double _step;

    public TinyLfuPolicy(int ids, int capacity)
    {
        _capacity = capacity;
        _lists = new IdLists(ids, Protected);
        _sketch = new FrequencySketch(capacity);
        _windowMax = Math.Max(1, capacity * WindowShareAtFirst);
        _protectedMax = (capacity - _windowMax) * ProtectedShare;
        _step = -StepShare * capacity;
    }

    private int Count => _lists.Count(Window) + _lists.Count(Probation) + _lists.Count(Protected);

    public bool Access(int id)
    {
        _sketch.Add(id);
        int list = _lists.ListOf(id);
        bool isHit = list != IdLists.NoList;
        _lists.Move(id, list is Probation or Protected ? Protected : Window);
        Demote();
        if (!isHit)
            MakeRoom();
        if (isHit)
            _hits++;
        else
            _misses++;
        if (_hits + _misses >= SampleFactor * _capacity)
            Climb();
        return isHit;
    }

    private void Demote()
    {
        while (_lists.Count(Protected) > _protectedMax)
            _lists.Move(_lists.Oldest(Protected), Probation);
    }

    private void MakeRoom()
    {
        while (_lists.Count(Window) > Math.Max(1, _windowMax))
        {
            int candidate = _lists.Oldest(Window);
            int victim = _lists.Oldest(Probation);
            if (victim == IdLists.NoId)
                victim = _lists.Oldest(Protected);
            _lists.Move(candidate, Probation);
            if (Count > _capacity)
                _lists.Remove(victim != IdLists.NoId && IsAdmitted(candidate, victim) ? victim : candidate);
        }

        while (Count > _capacity)
            _lists.Remove(_lists.Oldest(_lists.Count(Probation) > 0 ? Probation : Window));
    }

    private bool IsAdmitted(int candidate, int victim)
    {
        int uses = _sketch.CountOf(candidate);
        int victimUses = _sketch.CountOf(victim);
        return uses > victimUses || (uses >= WarmUses && _random.Next(LuckDivisor) == 0);
    }

    private void Climb()
    {
        double ratio = (double)_hits / (_hits + _misses);
        double change = ratio - _ratioBefore;
        double amount = change >= 0 ? _step : -_step;
        _step = Math.Abs(change) >= RestartChange
            ? Math.CopySign(StepShare * _capacity, amount) : StepDecay * amount;
        _ratioBefore = ratio;
        _hits = _misses = 0;
        if (amount >= 0)
            Widen(Math.Min(amount, _protectedMax));
        else
            Narrow(Math.Min(-amount, Math.Max(0, _windowMax - 1)));
    }

    private void Widen(double amount)
    {
        _windowMax += amount;
        _protectedMax -= amount;
        Demote();
        for (int i = 0; i < (int)amount && _lists.Count(Probation) > 0 && _lists.Count(Window) < _windowMax; i++)
            _lists.Move(_lists.Oldest(Probation), Window);
    }

    private void Narrow(double amount)
    {
        _windowMax -= amount;
        _protectedMax += amount;
        while (_lists.Count(Window) > Math.Max(1, _windowMax))
            _lists.Move(_lists.Oldest(Window), Probation);
    }
}
