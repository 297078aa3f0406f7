using System.Diagnostics;

namespace Cache.Server.Statistics;

/// <summary>The keys of a stream that seem most frequent, and their counts. Not thread-safe.</summary>
/// <remarks>
/// 64 are more than a list of hot keys shows, and few enough that they are looked through. A key is known by its hash
/// of 64 bits.
/// </remarks>
internal sealed class KeyCandidates
{
    /// <summary>The most candidates.</summary>
    public const int CountMax = 64;

    /// <summary>The longest key that is followed: it is copied into memory of fixed size.</summary>
    public const int KeyLengthMax = 128;

    private readonly ulong[] _hashes = new ulong[CountMax];
    private readonly int[] _counts = new int[CountMax];
    private readonly int[] _writes = new int[CountMax];
    private readonly byte[] _databases = new byte[CountMax];
    private readonly byte[] _lengths = new byte[CountMax];
    private readonly byte[] _keys = new byte[CountMax * KeyLengthMax];
    private int _count;

    /// <summary>The least count that makes a key a candidate.</summary>
    public int CountMin => _count < CountMax ? 1 : _counts[IndexOfLeast()] + 1;

    /// <summary>Forgets all.</summary>
    public void Clear() => _count = 0;

    /// <summary>The index of a key; -1 if it is no candidate.</summary>
    public int IndexOf(ulong hash) => _hashes.AsSpan(0, _count).IndexOf(hash);

    /// <summary>Counts a sample of a candidate.</summary>
    /// <param name="index">Its index.</param>
    /// <param name="count">What the sketch has counted for its key; perhaps less than what was counted here.</param>
    /// <param name="isWrite">Whether the request writes.</param>
    public void Raise(int index, int count, bool isWrite)
    {
        _counts[index] = Math.Max(_counts[index] + 1, count);
        _writes[index] += isWrite ? 1 : 0;
    }

    /// <summary>Makes a key a candidate, in place of the least if there are enough.</summary>
    public void Add(ulong hash, int count, ReadOnlySpan<byte> key, int database, bool isWrite)
    {
        Debug.Assert(key.Length <= KeyLengthMax && IndexOf(hash) < 0);
        int index = _count < CountMax ? _count++ : IndexOfLeast();
        _hashes[index] = hash;
        _counts[index] = count;
        _writes[index] = isWrite ? count : 0; // Of the samples before nothing else is known.
        _databases[index] = (byte)database;
        _lengths[index] = (byte)key.Length;
        key.CopyTo(_keys.AsSpan(index * KeyLengthMax));
    }

    /// <summary>Adds the candidates' requests to sums by database and key.</summary>
    /// <param name="sums">Reads and writes.</param>
    /// <param name="weight">The requests that a sample stands for.</param>
    public void AddTo(Dictionary<(int Database, string Key), (double Reads, double Writes)> sums, double weight)
    {
        for (int i = 0; i < _count; i++)
        {
            var key = _keys.AsSpan(i * KeyLengthMax, _lengths[i]);
            var name = ((int)_databases[i], System.Text.Encoding.Latin1.GetString(key));
            sums.TryGetValue(name, out var sum);
            double writes = _writes[i] * weight;
            sums[name] = (sum.Reads + _counts[i] * weight - writes, sum.Writes + writes);
        }
    }

    private int IndexOfLeast()
    {
        int least = 0;
        for (int i = 1; i < _count; i++)
        {
            if (_counts[i] < _counts[least])
                least = i;
        }

        return least;
    }
}
