using System.Diagnostics;
using Cache.Core.Compression;

namespace Cache.Core.Packing;

/// <summary>The dictionaries of short values: when one is made, used, and forgotten.</summary>
/// <remarks>
/// The reclaimer samples values that pass by; a thread of the lowest priority makes a dictionary of them; the sweep
/// starts that thread, and takes the dictionary into use when there is room for it. Once new values compress worse than
/// the first ones did, another one follows. The reclaimer compresses older values again at their turn, and the sweep
/// forgets a dictionary that no value needs.
/// </remarks>
internal sealed partial class ValuePacker
{
    // A dictionary takes at most this fraction of the limit.
    private const int LimitPerDictionary = 64;

    // After this many values the gain of a dictionary is compared with that of its first ones.
    private const int WindowLength = 4096;

    // Samples without anything in common: more are taken after so many values.
    private const int RetryAfter = 1 << 16;

    // Guarded by the gate; the samples are the training thread's while it runs.
    private DictionarySamples? _samples;
    private Thread? _trainer;
    private long _shortValues;
    private long _nextSamples;
    private int _windowCount;
    private long _windowValueBytes;
    private long _windowPackedBytes;
    private double _firstRatio;
    private bool _isStale;

    // Those of a load, and whether they are all there; guarded by the gate.
    private DictionarySamples? _loaded;
    private bool _isLoaded;

    // Written by who begins and ends a load, read under the gate.
    private bool _isLoading;

    // Written by the training thread, taken under the gate.
    private Lz4Dictionary? _trained;

    /// <summary>What the dictionaries count against the limit.</summary>
    public long DictionaryBytes => (long)Dictionaries.Count * Lz4Dictionary.SizeMax;

    /// <summary>Whether there is nothing to tend: nothing is compressed, and no dictionary is left.</summary>
    public bool IsIdle =>
        Mode == ValueCompression.Off && Dictionaries.Count == 0 && Volatile.Read(ref _samples) is null;

    /// <summary>Whether a dictionary waits for room.</summary>
    public bool HasTrained => Volatile.Read(ref _trained) is not null;

    /// <summary>Takes a trained dictionary into use; its bytes are counted.</summary>
    public void UseTrained()
    {
        Debug.Assert(HasTrained);
        Dictionaries.Add(_trained!);
        _trained = null;
        _rates.Reset();
        _success = Always;
        (_windowCount, _windowValueBytes, _windowPackedBytes, _firstRatio) = (0, 0, 0, 0);
        _isStale = false;
    }

    /// <summary>Forgets the dictionaries that no value needs any more.</summary>
    /// <returns>The bytes that they counted.</returns>
    public long ForgetUnneeded()
    {
        long before = DictionaryBytes;
        // One that the store has become too small for is needed until the reclaimer has met all its values again.
        int current = Dictionaries.Current;
        if (!MayHaveDictionary || (Mode == ValueCompression.Off && records.CountOf(current) == 0))
            Dictionaries.EndCurrent();
        for (int codec = PackedValue.NoDictionary + 1; codec < PackedValue.CodecCount; codec++)
        {
            if (codec != Dictionaries.Current && Dictionaries.IsKnown(codec) && records.CountOf(codec) == 0)
                Dictionaries.Remove(codec);
        }

        return before - DictionaryBytes;
    }

    /// <summary>Begins to take samples, or to train, when it is time.</summary>
    public void TendTraining()
    {
        if (_trainer is { IsAlive: false })
        {
            _trainer = null;
            if (!HasTrained)
                _nextSamples = _shortValues + RetryAfter;
        }

        if (Mode == ValueCompression.Off)
            _samples = null;
        if (_trainer is not null || HasTrained)
            return;
        if (_samples is null && IsDue())
            _samples = new DictionarySamples();
        if (_samples is not { IsFull: true } samples)
            return;
        _samples = null;
        _trainer = new Thread(() => Train(samples))
        {
            IsBackground = true,
            Name = "cache-dictionary",
            Priority = ThreadPriority.Lowest,
        };
        _trainer.Start();
    }

    /// <summary>Whether a load is under way: until it ends, the hottest are compressed too.</summary>
    /// <remarks>
    /// They may have been compressed before they became hot. If they stayed plain, others would go that had room.
    /// </remarks>
    public bool IsLoading
    {
        get => Volatile.Read(ref _isLoading);
        set => Volatile.Write(ref _isLoading, value);
    }

    /// <summary>Whether a value of a load may become a sample: perhaps there are enough meanwhile.</summary>
    public bool WantsLoaded(int length) => Mode != ValueCompression.Off && !Volatile.Read(ref _isLoaded)
        && length is >= PackedValue.LengthMin and <= DictionaryTrainer.SampleLengthMax
        && Dictionaries.Current == PackedValue.NoDictionary
        && MayHaveDictionary;

    /// <summary>Takes a sample from the values of a load.</summary>
    /// <returns>All samples, once there are enough: the caller trains; else null.</returns>
    public DictionarySamples? OfferLoaded(ReadOnlySpan<byte> value)
    {
        if (!WantsLoaded(value.Length))
            return null;
        _loaded ??= new DictionarySamples();
        _loaded.Offer(value);
        if (!_loaded.IsFull)
            return null;
        var samples = _loaded;
        _loaded = null;
        Volatile.Write(ref _isLoaded, true);
        return samples;
    }

    /// <summary>Ends a load, or its samples alone, for which there is no memory.</summary>
    public void EndLoaded(bool mayComeAgain)
    {
        _loaded = null;
        Volatile.Write(ref _isLoaded, !mayComeAgain);
    }

    /// <summary>Waits for the training thread, if there is one; for tests.</summary>
    public void AwaitTraining() => _trainer?.Join();

    /// <summary>Makes a dictionary, on the caller's thread.</summary>
    public void Train(DictionarySamples samples)
    {
        try
        {
            Volatile.Write(ref _trained, samples.Train());
        }
        catch (OutOfMemoryException) // Then there is no dictionary, and values stay longer.
        {
        }
    }

    // Samples are ready before the first value goes to main.
    private bool IsDue() => Mode != ValueCompression.Off && _shortValues >= _nextSamples
        && budget.UsedBytes >= budget.LimitBytes / 2
        && (Dictionaries.Current == PackedValue.NoDictionary || _isStale)
        && Dictionaries.Count < DictionaryTable.CountMax
        && MayHaveDictionary;

    private bool MayHaveDictionary => budget.LimitBytes / LimitPerDictionary >= Lz4Dictionary.SizeMax;

    private void OfferSample(ReadOnlySpan<byte> value)
    {
        _shortValues++;
        _samples?.Offer(value);
    }

    private void NoteDictionary(int valueLength, int packedLength)
    {
        _windowValueBytes += valueLength;
        _windowPackedBytes += packedLength;
        if (++_windowCount < WindowLength)
            return;
        double ratio = (double)_windowPackedBytes / _windowValueBytes;
        if (_firstRatio == 0)
            _firstRatio = ratio;
        _isStale |= ratio > _firstRatio * 1.25;
        (_windowCount, _windowValueBytes, _windowPackedBytes) = (0, 0, 0);
    }
}
