using System.Diagnostics;

namespace Cache.Core.Curve;

/// <summary>Estimates what the store would answer if it were smaller or larger.</summary>
/// <remarks>
/// Five miniatures see what is done with the sampled keys. Reads are counted against what a sample of this part must
/// have, so that a sample with a few busy keys too many, or too few, is corrected (SHARDS-adj, Waldspurger et al.,
/// FAST'15); then the curve is shifted so that it meets the measured ratio at the present limit. Without the former the
/// estimates of a prototype were wrong by 2 to 10 points.
///
/// A miss in the store is followed by the application's write, which is noted too. Where the store has a key that a
/// miniature has not, the application would have written it there: the miniature takes it as it is in the store.
/// All members take the gate; nothing else is locked under it.
/// </remarks>
internal sealed class HitRatioEstimator
{
    /// <summary>The sizes, as multiples of the present limit; ascending.</summary>
    public static ReadOnlySpan<double> Scales => [0.25, 0.5, 1, 2, 4];

    // The index of the present limit.
    private const int Present = 2;

    // More sampled keys than these are not more exact in any way that matters: the sample is halved.
    private const int KeysMax = 8192;
    private const int KeysMin = KeysMax / 8;

    // The simulation of a note takes about a microsecond: with these in a look, half of a hundredth of a processor.
    private const int NotesPerLook = 512;

    // As many keys the sample keeps whatever that costs: the estimates of shared traces with 540 to 850 keys were off
    // by less than half a point.
    private const int KeysEnough = 512;

    // A small store's miniatures shall not take more than some hundredths of its limit.
    private const long LimitBytesPerKey = 8192;

    // A sample that is too small for so long is doubled.
    private const long PatienceMs = 30_000;

    // Sampled reads without which nothing is said.
    private const double ReadsMin = 2_000;

    // What was seen ten minutes ago counts half.
    private const double HalfLifeMs = 600_000;
    private const long DecayPeriodMs = 10_000;

    // A look at all nodes: some milliseconds at most.
    private const long SweepPeriodMs = 1_000;

    // What part of the held bytes lives, before there is enough in the store to tell; and the least that is believed.
    private const double LiveShareAtFirst = 0.85;
    private const double LiveShareMin = 0.25;

    private readonly Lock _gate = new();
    private readonly AccessSamples _samples;
    private readonly ulong[] _notes = new ulong[AccessSamples.Capacity];
    private readonly Miniature[] _miniatures;
    private readonly ShareTrials _trials;
    private readonly double[] _hits = new double[Scales.Length];
    private readonly int _keysMax;
    private int _shift;

    // Whether the store is half full: before that no share of the small list is better than another.
    private bool _isFilled;

    // Of sampled reads: those that were seen, and those that should have been.
    private double _seen;
    private double _expected;

    // Of the store since it began, decayed as the others are.
    private double _storeHits;
    private double _storeReads;
    private CurveFigures _last;
    private long _limitBytes;
    private long _decayedMs;
    private long _sweptMs;

    // Since when the sample has had too few keys, and the most notes in one look since then.
    private long _sparseSinceMs;
    private int _notesPeak;

    // The size of the last entry that was found, for those that are gone before they are looked at.
    private SampledEntry _typical = new(SizeBytes: 64, 0, 0, 0, 0, IsPaged: false);

    public HitRatioEstimator(AccessSamples samples, long limitBytes, int promotionThreshold)
    {
        _samples = samples;
        _limitBytes = limitBytes;
        _keysMax = (int)Math.Clamp(limitBytes / LimitBytesPerKey, KeysMin, KeysMax);
        _miniatures = new Miniature[Scales.Length];
        for (int i = 0; i < _miniatures.Length; i++)
            _miniatures[i] = new Miniature(promotionThreshold, (int)(2 * _keysMax * Scales[i]));
        _trials = new ShareTrials(promotionThreshold);
        samples.Start(_shift);
    }

    /// <summary>The share of the small list that answers most; null while that is not known.</summary>
    public double? SmallShare
    {
        get
        {
            lock (_gate)
                return _trials.Choice;
        }
    }

    /// <summary>Whether more is answered if the size of an entry counts when it is to stay.</summary>
    public bool CountsSizes
    {
        get
        {
            lock (_gate)
                return _trials.CountsSizes;
        }
    }

    /// <summary>Simulates what was noted since the last call.</summary>
    public void Update<TEntries>(in CurveFigures figures, ref TEntries entries)
        where TEntries : struct, ISampledEntries
    {
        lock (_gate)
        {
            double reads = CountReads(figures);
            Fit(figures);
            int count = _samples.Take(_notes, out long dropped);
            double unknown = 0;
            foreach (ulong note in _notes.AsSpan(0, count))
                Replay(note, figures.NowMs, ref entries, ref unknown);
            // Of what was dropped nothing is known: as much is not expected.
            double expected = reads / (1L << _shift) * count / Math.Max(1, count + dropped) - unknown;
            _expected += Math.Max(0, expected);
            ChooseShare();
            AdaptSample(figures.NowMs, count, dropped);
            DropExpired(figures.NowMs);
            Decay(figures.NowMs);
        }
    }

    /// <summary>Removes the entries of some keyspaces, one bit for each.</summary>
    public void Clear(uint keyspaces)
    {
        lock (_gate)
        {
            foreach (var miniature in _miniatures)
                miniature.Clear(keyspaces);
            _trials.Clear(keyspaces);
        }
    }

    /// <summary>The estimate as of the last update.</summary>
    public HitRatioCurve Read()
    {
        lock (_gate)
        {
            double measured = _storeReads == 0 ? 0 : _storeHits / _storeReads;
            double shift = measured - RatioOf(Present);
            var points = new HitRatioPoint[Scales.Length];
            for (int i = 0; i < points.Length; i++)
            {
                double ratio = i == Present ? measured : Math.Clamp(RatioOf(i) + shift, 0, 1);
                points[i] = new HitRatioPoint(Scales[i], (long)(_limitBytes * Scales[i]), ratio);
            }

            return new HitRatioCurve
            {
                Points = points,
                IsKnown = _seen >= ReadsMin && _expected > 0,
                SampledKeys = _miniatures[Present].Count,
                KeysPerSample = 1L << _shift,
            };
        }
    }

    // What the sample has too much of was answered by all sizes alike: it is repeated reads of a few keys.
    private double RatioOf(int index) => _expected <= 0 ? 0 : (_hits[index] + _expected - _seen) / _expected;

    private double CountReads(in CurveFigures figures)
    {
        // They fall by a reset of the statistics, and by a thread that wrote a count much later than it read it: then
        // nothing is known of this look.
        long hits = Math.Max(0, figures.Hits - _last.Hits);
        long misses = Math.Max(0, figures.Misses - _last.Misses);
        _last = figures;
        _storeHits += hits;
        _storeReads += hits + misses;
        return hits + misses;
    }

    // The store takes it too, so that the miniature of the present limit does what the store does.
    private void ChooseShare()
    {
        _trials.Choose();
        if (_trials.Choice is not { } share)
            return;
        foreach (var miniature in _miniatures)
        {
            miniature.ChooseShare(share);
            miniature.CountsSizes = _trials.CountsSizes;
        }
    }

    // The bytes of entries that fit in a limit: beside them are the index, and what is dead or not used yet.
    private void Fit(in CurveFigures figures)
    {
        if (figures.LimitBytes != _limitBytes)
            Forget(); // What was counted is of the sizes of then.
        _limitBytes = figures.LimitBytes;
        _isFilled = figures.UsedBytes > figures.LimitBytes / 2;
        double share = _isFilled ? (double)figures.LiveBytes / figures.UsedBytes : LiveShareAtFirst;
        double bytes = figures.LimitBytes * Math.Clamp(share, LiveShareMin, 1);
        _trials.Fit(bytes, _shift);
        bytes /= 1L << _shift;
        for (int i = 0; i < _miniatures.Length; i++)
            _miniatures[i].CapacityBytes = (long)(bytes * Scales[i]);
    }

    private void Forget()
    {
        _seen = _expected = _storeHits = _storeReads = 0;
        Array.Clear(_hits);
    }

    private void Replay<TEntries>(ulong note, long nowMs, ref TEntries entries, ref double unknown)
        where TEntries : struct, ISampledEntries
    {
        ulong hash = AccessSamples.HashOf(note);
        if (_isFilled && _trials.IsSampled(hash))
            Try(AccessSamples.KindOf(note), hash, nowMs, ref entries);
        switch (AccessSamples.KindOf(note))
        {
            case AccessKind.Hit:
                ReplayHit(hash, nowMs, ref entries, ref unknown);
                break;
            case AccessKind.Miss:
                _seen++;
                for (int i = 0; i < _miniatures.Length; i++)
                    _hits[i] += _miniatures[i].Read(hash, nowMs, isMiss: true) ? 1 : 0;
                break;
            case AccessKind.Write:
                Find(hash, ref entries, out var entry);
                foreach (var miniature in _miniatures)
                    miniature.Write(hash, entry);
                break;
            default:
                foreach (var miniature in _miniatures)
                    miniature.Remove(hash);
                break;
        }
    }

    private void ReplayHit<TEntries>(ulong hash, long nowMs, ref TEntries entries, ref double unknown)
        where TEntries : struct, ISampledEntries
    {
        int found = 0;
        for (int i = 0; i < _miniatures.Length; i++)
        {
            if (_miniatures[i].Read(hash, nowMs))
                found |= 1 << i;
        }

        // The largest has not what the store has: the key was not sampled yet when it was written.
        if ((found & (1 << _miniatures.Length - 1)) == 0)
            unknown++;
        else
            _seen++;
        if (found == (1 << _miniatures.Length) - 1)
        {
            for (int i = 0; i < _miniatures.Length; i++)
                _hits[i]++;
            return;
        }

        bool isKnown = (found & (1 << _miniatures.Length - 1)) != 0;
        bool isThere = Find(hash, ref entries, out var entry);
        for (int i = 0; i < _miniatures.Length; i++)
        {
            if ((found & (1 << i)) != 0)
                _hits[i] += isKnown ? 1 : 0;
            else if (isThere) // If not, it may have been removed by now.
                _miniatures[i].Write(hash, entry);
        }
    }

    private void Try<TEntries>(AccessKind kind, ulong hash, long nowMs, ref TEntries entries)
        where TEntries : struct, ISampledEntries
    {
        switch (kind)
        {
            case AccessKind.Hit:
                uint missing = _trials.Read(hash, nowMs, isMiss: false);
                if (missing != 0 && Find(hash, ref entries, out var found))
                    _trials.Write(hash, found, missing);
                break;
            case AccessKind.Miss:
                _trials.Read(hash, nowMs, isMiss: true);
                break;
            case AccessKind.Write:
                Find(hash, ref entries, out var written);
                _trials.Write(hash, written);
                break;
            default:
                _trials.Remove(hash);
                break;
        }
    }

    /// <returns>False if it is not there any more: the entry is then a typical one.</returns>
    private bool Find<TEntries>(ulong hash, ref TEntries entries, out SampledEntry entry)
        where TEntries : struct, ISampledEntries
    {
        bool isThere = entries.TryFind(hash, out entry);
        if (!isThere)
        {
            entry = _typical;
            return false;
        }

        _typical = entry with { ExpiresAtMs = 0, SlidingMs = 0, AbsoluteMs = 0 };
        return true;
    }

    private void AdaptSample(long nowMs, int notes, long dropped)
    {
        int keys = _miniatures[Present].Count;
        _notesPeak = Math.Max(_notesPeak, notes);
        bool isCostly = notes > NotesPerLook && keys > 2 * KeysEnough;
        if (dropped > 0 || keys > _keysMax || isCostly)
        {
            Sample(_shift + 1, nowMs);
        }
        else if (_shift == 0 || keys > _keysMax / 4 || _notesPeak > NotesPerLook / 4)
        {
            _sparseSinceMs = nowMs;
            _notesPeak = notes;
        }
        else if (nowMs - _sparseSinceMs >= PatienceMs)
        {
            Sample(_shift - 1, nowMs);
        }
    }

    // A smaller sample is a part of the larger one. In a larger one, keys that the store has already are not counted
    // until they are met.
    private void Sample(int shift, long nowMs)
    {
        shift = Math.Min(shift, AccessSamples.ShiftMax);
        Debug.Assert(shift >= 0);
        double factor = Math.Pow(2, _shift - shift);
        bool isSmaller = shift > _shift;
        _shift = shift;
        _samples.Start(shift);
        _seen *= factor;
        _expected *= factor;
        foreach (ref double hits in _hits.AsSpan())
            hits *= factor;
        for (int i = 0; isSmaller && i < _miniatures.Length; i++)
            _miniatures[i].Keep(shift);
        _sparseSinceMs = nowMs;
        _notesPeak = 0;
    }

    // As the store's sweep does.
    private void DropExpired(long nowMs)
    {
        if (nowMs - _sweptMs < SweepPeriodMs)
            return;
        _sweptMs = nowMs;
        foreach (var miniature in _miniatures)
            miniature.DropExpired(nowMs);
        _trials.DropExpired(nowMs);
    }

    private void Decay(long nowMs)
    {
        long passed = nowMs - _decayedMs;
        if (_decayedMs != 0 && passed < DecayPeriodMs)
            return;
        double factor = _decayedMs == 0 ? 1 : Math.Pow(0.5, passed / HalfLifeMs);
        _decayedMs = nowMs;
        _seen *= factor;
        _expected *= factor;
        _storeHits *= factor;
        _storeReads *= factor;
        foreach (ref double hits in _hits.AsSpan())
            hits *= factor;
    }
}
