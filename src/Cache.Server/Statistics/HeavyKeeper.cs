namespace Cache.Server.Statistics;

/// <summary>Finds the most frequent keys of a stream in fixed memory. Not thread-safe.</summary>
/// <remarks>
/// Algorithm: HeavyKeeper (Gong et al., USENIX ATC 2018). Two rows of counters, each of them owned by a fingerprint. A
/// sample raises the counters of its own fingerprint. It lowers another's with a probability that falls exponentially
/// with the count, and takes it over at 0: so rare keys pass, and frequent ones stay. A key whose count exceeds that
/// of the least candidate becomes one; from then on it is counted exactly.
/// </remarks>
internal sealed class HeavyKeeper
{
    private const int Rows = 2;
    private const int RowBits = 10;
    private const int RowLength = 1 << RowBits;

    // The base of the decay; from the paper.
    private const double DecayBase = 1.08;

    // A higher count is never lowered: its probability is below 2^-32.
    private const int DecayingCountMax = 288;

    private static readonly uint[] _decay = MakeDecay();

    private readonly ushort[] _fingerprints = new ushort[Rows * RowLength];
    private readonly int[] _counts = new int[Rows * RowLength];

    /// <summary>The most frequent keys until now.</summary>
    public KeyCandidates Candidates { get; private set; } = new();

    /// <summary>Counts a key.</summary>
    /// <param name="hash">A hash of the key and its database.</param>
    /// <param name="random">Any 64 bits.</param>
    /// <param name="key">The key; at most <see cref="KeyCandidates.KeyLengthMax"/> bytes.</param>
    /// <param name="database">Its database.</param>
    /// <param name="isWrite">Whether the request writes.</param>
    public void Add(ulong hash, ulong random, ReadOnlySpan<byte> key, int database, bool isWrite)
    {
        int count = Math.Max(
            Count(hash & (RowLength - 1), hash, (uint)random),
            Count(RowLength + (hash >> RowBits & (RowLength - 1)), hash, (uint)(random >> 32)));
        int index = Candidates.IndexOf(hash);
        if (index >= 0)
            Candidates.Raise(index, count, isWrite);
        else if (count >= Candidates.CountMin)
            Candidates.Add(hash, count, key, database, isWrite);
    }

    /// <summary>Counts from 0 again.</summary>
    /// <param name="candidates">Used from now on in place of the former ones, which the caller keeps.</param>
    public void Restart(KeyCandidates candidates)
    {
        Array.Clear(_counts);
        candidates.Clear();
        Candidates = candidates;
    }

    /// <returns>The count of the key in this counter; 0 if that is another key's.</returns>
    private int Count(ulong at, ulong hash, uint random)
    {
        ushort fingerprint = (ushort)(hash >> 48);
        ref int count = ref _counts[at];
        if (count > 0 && _fingerprints[at] == fingerprint)
            return ++count;
        if (count > 0 && (count >= DecayingCountMax || random >= _decay[count] || --count > 0))
            return 0;
        _fingerprints[at] = fingerprint;
        return count = 1;
    }

    private static uint[] MakeDecay()
    {
        uint[] decay = new uint[DecayingCountMax];
        for (int i = 0; i < decay.Length; i++)
            decay[i] = (uint)(uint.MaxValue * Math.Pow(DecayBase, -i));
        return decay;
    }
}
