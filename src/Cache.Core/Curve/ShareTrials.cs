using System.Diagnostics;

namespace Cache.Core.Curve;

/// <summary>
/// Tries shares of the small list over a sample of the keys, and says which answers most reads; and whether more are
/// answered where sizes count.
/// </summary>
/// <remarks>
/// One miniature for each share; all see the same reads, so that what they answer differs by their shares alone. One
/// more has the first share and the other rule of sizes. What was answered a while ago counts less, and another share,
/// or the other rule, is chosen only if it is ahead by more than chance. The sample is a part of the estimator's: the
/// whole of a small one, a fraction of a large one, which bounds time and memory. Its owner serializes the calls.
/// Source: miniature simulations (Waldspurger et al., ATC'17).
/// </remarks>
internal sealed class ShareTrials
{
    // As many keys in a miniature as tell the shares apart; more cost time and tell no more.
    private const int KeysMax = 1_024;
    private const int KeysMin = KeysMax / 8;

    // Reads after which the shares are compared: as many as the miniatures have keys, at least these.
    private const int ReadsPerChoiceMin = 64;

    // What was answered 25 comparisons ago counts a third. With a memory of ten it followed phases that were soon over,
    // and each change costs entries that another share would have kept.
    private const double Decay = 0.96;

    // Another share must answer a two-hundredth more, and a read at that.
    private const double Lead = 1.005;

    // Standard deviations by which the other rule of sizes must be ahead: it is asked often. A memory of a hundred
    // comparisons, as what one gains may be few hundredths of the reads in which they differ.
    private const double RuleDeviations = 4;
    private const double RuleDecay = 0.99;

    // One for each share, and then the one with the other rule of sizes.
    private readonly Miniature[] _miniatures = new Miniature[Shares.Length + 1];
    private readonly double[] _hits = new double[Shares.Length];
    private int _chosen;
    private int _reads;

    // The reads that of the two rules of sizes one answers and the other does not.
    private double _onlyPresent;
    private double _onlyOther;
    private int _shift;

    /// <param name="promotionThreshold">How often a new entry must have been used to stay.</param>
    public ShareTrials(int promotionThreshold)
    {
        for (int i = 0; i < _miniatures.Length; i++)
            _miniatures[i] = new Miniature(promotionThreshold, 2 * KeysMax, Shares[i % Shares.Length]);
        _miniatures[^1].CountsSizes = false;
    }

    /// <summary>The shares that are tried. The first is the one that S3-FIFO's authors found best for most.</summary>
    public static ReadOnlySpan<double> Shares => [0.1, 0.02, 0.3, 0.6, 0.9];

    /// <summary>The share that answers most; null while nothing was evicted yet that would tell.</summary>
    public double? Choice { get; private set; }

    /// <summary>Whether more reads are answered if the size of an entry counts when it is to stay.</summary>
    public bool CountsSizes { get; private set; } = true;

    /// <summary>One key of 2^this is tried.</summary>
    public int Shift => _shift;

    /// <summary>Whether a key is tried.</summary>
    public bool IsSampled(ulong hash) => AccessSamples.IsSampled(hash, _shift);

    /// <summary>Fits the trials to the store.</summary>
    /// <param name="bytes">What the entries of the store may take.</param>
    /// <param name="shiftMin">One key of 2^this is noted.</param>
    public void Fit(double bytes, int shiftMin)
    {
        int keys = KeysOfMost();
        if (_shift < shiftMin || keys > KeysMax)
            SetShift(Math.Max(shiftMin, keys > KeysMax ? _shift + 1 : _shift));
        else if (_shift > shiftMin && keys < KeysMin)
            SetShift(_shift - 1);
        foreach (var miniature in _miniatures)
            miniature.CapacityBytes = (long)(bytes / (1L << _shift));
    }

    /// <summary>Tries a read.</summary>
    /// <param name="hash">The key's.</param>
    /// <param name="nowMs">The time of the store's clock.</param>
    /// <param name="isMiss">Whether the store had no entry, so that the application writes it next.</param>
    /// <returns>One bit for each miniature that had none.</returns>
    public uint Read(ulong hash, long nowMs, bool isMiss)
    {
        Debug.Assert(IsSampled(hash));
        uint missing = 0;
        for (int i = 0; i < _miniatures.Length; i++)
        {
            if (!_miniatures[i].Read(hash, nowMs, isMiss))
                missing |= 1U << i;
            else if (i < _hits.Length)
                _hits[i]++;
        }

        _reads++;
        bool isMissing = (missing & 1) != 0;
        bool isMissingByOther = missing >> Shares.Length != 0;
        if (isMissing && !isMissingByOther)
            _onlyOther++;
        else if (isMissingByOther && !isMissing)
            _onlyPresent++;
        return missing;
    }

    /// <summary>Writes an entry in some miniatures, one bit for each.</summary>
    public void Write(ulong hash, in SampledEntry entry, uint miniatures = uint.MaxValue)
    {
        Debug.Assert(IsSampled(hash));
        for (int i = 0; i < _miniatures.Length; i++)
        {
            if ((miniatures >> i & 1) != 0)
                _miniatures[i].Write(hash, entry);
        }
    }

    public void Remove(ulong hash)
    {
        foreach (var miniature in _miniatures)
            miniature.Remove(hash);
    }

    public void Clear(uint keyspaces)
    {
        foreach (var miniature in _miniatures)
            miniature.Clear(keyspaces);
    }

    public void DropExpired(long nowMs)
    {
        foreach (var miniature in _miniatures)
            miniature.DropExpired(nowMs);
    }

    /// <summary>Compares the shares and the rules, if there were enough reads since the last time.</summary>
    public void Choose()
    {
        if (_reads < Math.Max(ReadsPerChoiceMin, KeysOfMost()))
            return;
        _reads = 0;
        if (!Array.Exists(_miniatures, one => one.HasEvicted))
        {
            Array.Clear(_hits); // All have had the same, and would for ever.
            return;
        }

        int best = _chosen;
        for (int i = 0; i < _hits.Length; i++)
        {
            bool isAhead = _hits[i] > _hits[_chosen] * Lead + 1;
            if (isAhead && (best == _chosen || _hits[i] > _hits[best]))
                best = i;
        }

        _chosen = best;
        Choice = Shares[best];
        ChooseRule();
        foreach (ref double hits in _hits.AsSpan())
            hits *= Decay;
    }

    // By the reads in which the two differ: as many as chance would seldom have (McNemar's test).
    private void ChooseRule()
    {
        if (_onlyOther - _onlyPresent > RuleDeviations * Math.Sqrt(_onlyOther + _onlyPresent))
        {
            ChangeRule();
            _onlyOther = _onlyPresent = 0; // From now on both are compared anew.
        }

        _onlyOther *= RuleDecay;
        _onlyPresent *= RuleDecay;
    }

    // What each of the two has goes along with its rule.
    private void ChangeRule()
    {
        (_miniatures[0], _miniatures[^1]) = (_miniatures[^1], _miniatures[0]);
        foreach (var miniature in _miniatures.AsSpan(0, Shares.Length))
            miniature.CountsSizes = !CountsSizes;
        Debug.Assert(_miniatures[^1].CountsSizes == CountsSizes);
        CountsSizes = !CountsSizes;
    }

    private int KeysOfMost()
    {
        int most = 0;
        foreach (var miniature in _miniatures)
            most = Math.Max(most, miniature.Count);
        return most;
    }

    // A smaller sample is a part of the larger one; a larger one meets its other keys as they are read.
    private void SetShift(int shift)
    {
        bool isSmaller = shift > _shift;
        _shift = shift;
        for (int i = 0; isSmaller && i < _miniatures.Length; i++)
            _miniatures[i].Keep(shift);
    }
}
