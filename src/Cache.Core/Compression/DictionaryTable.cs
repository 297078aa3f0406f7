using System.Diagnostics;

namespace Cache.Core.Compression;

/// <summary>The dictionaries of a store, by the number that its compressed values have in their first byte.</summary>
/// <remarks>
/// Read by every thread without a lock. A thread that reads a value may come late: its dictionary has gone, or another
/// one has its number; then the value has gone before, which the version of its bucket shows. One thread at a time adds
/// and removes.
/// </remarks>
internal sealed class DictionaryTable
{
    /// <summary>The most dictionaries at a time: the present one, and those that older values still need.</summary>
    public const int CountMax = 4;

    // By codec; written under the reclaimer's gate.
    private readonly Lz4Dictionary?[] _dictionaries = new Lz4Dictionary?[PackedValue.CodecCount];
    private int _current;

    /// <summary>The number of the dictionary for new values; <see cref="PackedValue.NoDictionary"/>: none.</summary>
    public int Current => Volatile.Read(ref _current);

    /// <summary>The dictionary for new values; null: none.</summary>
    public Lz4Dictionary? CurrentDictionary => Volatile.Read(ref _dictionaries[Current]);

    /// <summary>The dictionaries that are kept.</summary>
    public int Count { get; private set; }

    /// <summary>The bytes of a dictionary of a number; false if there is none.</summary>
    public bool TryGet(int codec, out ReadOnlySpan<byte> bytes)
    {
        bytes = default;
        if (codec == PackedValue.NoDictionary)
            return true;
        if (Volatile.Read(ref _dictionaries[codec]) is not { } dictionary)
            return false;
        bytes = dictionary.Bytes;
        return true;
    }

    /// <summary>Whether a number has a dictionary, or needs none.</summary>
    public bool IsKnown(int codec) => TryGet(codec, out _);

    /// <summary>Uses a dictionary for new values from now on.</summary>
    public void Add(Lz4Dictionary dictionary)
    {
        Debug.Assert(Count < CountMax, "The caller waits until an older one has gone.");
        int codec = _current;
        do
            codec = codec == PackedValue.CodecCount - 1 ? PackedValue.NoDictionary + 1 : codec + 1;
        while (_dictionaries[codec] is not null);
        Volatile.Write(ref _dictionaries[codec], dictionary);
        Volatile.Write(ref _current, codec);
        Count++;
    }

    /// <summary>Uses no dictionary for new values from now on.</summary>
    public void EndCurrent() => Volatile.Write(ref _current, PackedValue.NoDictionary);

    /// <summary>Forgets a dictionary that no value needs.</summary>
    public void Remove(int codec)
    {
        Debug.Assert(codec != PackedValue.NoDictionary && codec != _current);
        Debug.Assert(_dictionaries[codec] is not null);
        Volatile.Write(ref _dictionaries[codec], null);
        Count--;
    }
}
