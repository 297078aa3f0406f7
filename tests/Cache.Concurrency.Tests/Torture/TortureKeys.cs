using System.Buffers.Binary;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>The keys of a torture, and between which sequence numbers a value of each may be.</summary>
/// <remarks>
/// Each key is written by one thread alone, which counts up: it notes the number before it writes, and afterwards
/// that no older one may be seen any more. Who clears the store may be any one thread.
/// </remarks>
internal sealed class TortureKeys
{
    private readonly byte[][] _names;
    private readonly int[] _started;
    private readonly int[] _oldest;

    // The last write that took place, and what a clear leaves: written by the key's owner, and by who clears.
    private readonly int[] _completed;
    private readonly int[] _oldestSinceClear;

    public TortureKeys(int count)
        : this([.. Enumerable.Range(0, count).Select(NameOf)])
    {
    }

    public TortureKeys(byte[][] names)
    {
        _names = names;
        _started = new int[names.Length];
        _oldest = new int[names.Length];
        _completed = new int[names.Length];
        _oldestSinceClear = new int[names.Length];
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

    /// <summary>A name of 2 to 50 bytes, so that there are records of all alignments.</summary>
    public static byte[] NameOf(int key)
    {
        byte[] name = new byte[2 + key % 49];
        BinaryPrimitives.WriteUInt16LittleEndian(name, (ushort)key);
        return name;
    }

    /// <summary>The write took place: what is older is gone.</summary>
    public void Complete(int key, int sequence)
    {
        Volatile.Write(ref _completed[key], sequence);
        Volatile.Write(ref _oldest[key], sequence);
    }

    /// <summary>Clears all keys: what was complete before is gone.</summary>
    public void Clear(Action clear)
    {
        int[] completed = [.. Enumerable.Range(0, Count).Select(key => Volatile.Read(ref _completed[key]))];
        clear();
        for (int key = 0; key < completed.Length; key++)
            Volatile.Write(ref _oldestSinceClear[key], completed[key] + 1);
    }

    /// <summary>The key was removed: what was written is gone.</summary>
    public void CompleteRemoval(int key) => Volatile.Write(ref _oldest[key], _started[key] + 1);

    /// <summary>To be asked before a read, and given to <see cref="Check"/> after it.</summary>
    public int OldestOf(int key) =>
        Math.Max(Volatile.Read(ref _oldest[key]), Volatile.Read(ref _oldestSinceClear[key]));

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
