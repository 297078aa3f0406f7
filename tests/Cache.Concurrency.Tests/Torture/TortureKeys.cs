using System.Buffers.Binary;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>The keys of a torture, and between which sequence numbers a value of each may be.</summary>
/// <remarks>
/// Each key is written by one thread alone, which counts up: it notes the number before it writes, and afterwards
/// that no older one may be seen any more.
/// </remarks>
internal sealed class TortureKeys
{
    private readonly byte[][] _names;
    private readonly int[] _started;
    private readonly int[] _oldest;

    public TortureKeys(int count)
    {
        _names = new byte[count][];
        _started = new int[count];
        _oldest = new int[count];
        for (int i = 0; i < count; i++)
        {
            // Of 2 to 50 bytes: records of all alignments.
            _names[i] = new byte[2 + i % 49];
            BinaryPrimitives.WriteUInt16LittleEndian(_names[i], (ushort)i);
        }
    }

    public int Count => _names.Length;

    public byte[] this[int key] => _names[key];

    /// <summary>The next number for a write of a key, by its owner.</summary>
    public int Start(int key)
    {
        int sequence = _started[key] == TortureValue.SequenceMax ? throw TooMany() : _started[key] + 1;
        Volatile.Write(ref _started[key], sequence);
        return sequence;
    }

    /// <summary>The write took place: what is older is gone.</summary>
    public void Complete(int key, int sequence) => Volatile.Write(ref _oldest[key], sequence);

    /// <summary>The key was removed: what was written is gone.</summary>
    public void CompleteRemoval(int key) => Volatile.Write(ref _oldest[key], _started[key] + 1);

    /// <summary>To be asked before a read, and given to <see cref="Check"/> after it.</summary>
    public int OldestOf(int key) => Volatile.Read(ref _oldest[key]);

    /// <summary>Checks a value that was read.</summary>
    /// <exception cref="InvalidDataException">It is torn, foreign, resurrected, or not written yet.</exception>
    public int Check(int key, ReadOnlySpan<byte> value, int oldest)
    {
        int sequence = TortureValue.Verify(value, (ushort)key);
        if (sequence < oldest)
            throw new InvalidDataException($"Key {key}: sequence {sequence} came back after {oldest} replaced it.");
        int started = Volatile.Read(ref _started[key]);
        if (sequence > started)
            throw new InvalidDataException($"Key {key}: sequence {sequence} is not written yet, only {started}.");
        return sequence;
    }

    private static InvalidOperationException TooMany() => new("More writes of one key than the values can number.");
}
