using System.Diagnostics;
using System.Numerics;
using Cache.Core.Compression;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Packing;

/// <summary>Decides which values are compressed, and does it.</summary>
/// <remarks>
/// What writes here works under the reclaimer's gate, on copies: a value is compressed when the reclaimer moves its
/// record to main, while nobody holds its bucket. Readers only decode (<see cref="TryUnpack"/>).
/// The memory for copies is at most three times the longest value of a record: an eighth of a segment each.
/// </remarks>
internal sealed partial class ValuePacker(ValueCompression mode, PackedRecords records, MemoryBudget budget)
{
    // The fraction of successes, of this many, over the last some dozens of values.
    private const int Always = 1 << 12;
    private const int AverageShift = 6;

    private readonly SuccessRates _rates = new();

    // Guarded by the gate.
    private int _success = Always;

    // Written when the store is configured; read under the gate.
    private int _mode = (int)mode;

    // The value that was taken, decoded, and compressed; guarded by the gate.
    private byte[] _source = [];
    private byte[] _value = [];
    private byte[] _packed = [];
    private int _sourceLength;

    // Written under the gate, read anywhere.
    private long _tries;
    private long _kept;

    public ValueCompression Mode
    {
        get => (ValueCompression)Volatile.Read(ref _mode);
        set => Volatile.Write(ref _mode, (int)value);
    }

    public DictionaryTable Dictionaries { get; } = new();

    /// <summary>Whether most values become shorter, so that copying some gains room.</summary>
    public bool PaysOff => Mode != ValueCompression.Off && _success >= Always / 2;

    /// <summary>How often compressing a value was tried.</summary>
    public long Tries => Volatile.Read(ref _tries);

    /// <summary>How often it saved enough.</summary>
    public long Kept => Volatile.Read(ref _kept);

    /// <summary>Decides what becomes of a value that goes to main.</summary>
    public PackStep Choose(RecordHeader header, ReadOnlySpan<byte> bytes, int frequency)
    {
        var mode = Mode;
        if (mode == ValueCompression.Off && !header.IsCompressed)
            return PackStep.None;
        if (!header.IsString || header.IsLarge)
            return Leave();
        bool staysPlain = mode == ValueCompression.Off
            || (mode == ValueCompression.Cold && frequency == Bucket.FrequencyMax && !IsLoading);
        if (header.IsCompressed)
            return staysPlain ? PackStep.Unpack : IsOutdated(bytes) ? PackStep.Pack : PackStep.None;
        if (staysPlain)
            return Leave();
        if (bytes.Length is < PackedValue.LengthMin or > PackedValue.LengthMax)
            return Leave();
        if (bytes.Length <= DictionaryTrainer.SampleLengthMax)
            OfferSample(bytes);
        return _rates.IsWorthTrying(bytes.Length) ? PackStep.Pack : Leave();
    }

    /// <summary>Copies the bytes of a value, compressed or not, under its lock.</summary>
    public void Take(ReadOnlySpan<byte> bytes)
    {
        EnsureLength(ref _source, bytes.Length);
        bytes.CopyTo(_source);
        _sourceLength = bytes.Length;
        Debug.Assert(_sourceLength > 0);
    }

    /// <summary>Compresses or decodes what was taken.</summary>
    /// <returns>False if it stays as it is.</returns>
    public bool TryRun(PackStep step, bool isCompressed, out MovedValue moved)
    {
        Debug.Assert(step != PackStep.None);
        Debug.Assert(_sourceLength > 0, "A value was taken.");
        ReadOnlySpan<byte> bytes = _source.AsSpan(0, _sourceLength);
        var value = bytes;
        moved = default;
        if (isCompressed)
        {
            int length = PackedValue.LengthOf(bytes);
            EnsureLength(ref _value, length);
            Unpack(bytes, _value.AsSpan(0, length));
            value = _value.AsSpan(0, length);
        }

        if (step == PackStep.Pack && TryPack(value, isCompressed, out var packed))
        {
            moved = new MovedValue(packed, isCompressed: true);
            return true;
        }

        // Where the present dictionary does not help, an old one must not be kept for it.
        if (!isCompressed || (step == PackStep.Pack && bytes[0] == PackedValue.NoDictionary))
            return false;
        moved = new MovedValue(value, isCompressed: false);
        return true;
    }

    /// <summary>Decodes a part of a value from bytes that may change meanwhile.</summary>
    /// <returns>False if these are not the bytes of a value.</returns>
    public bool TryUnpack(ReadOnlySpan<byte> packed, in PackedPrefix prefix, int offset, Span<byte> target)
    {
        if (target.Length == prefix.Length)
            return PackedValue.TryUnpack(packed, prefix, Dictionaries, target);
        return target.IsEmpty || PartOfValue.TryUnpack(packed, prefix, Dictionaries, offset, target);
    }

    /// <summary>Decodes a whole value from bytes that do not change.</summary>
    /// <exception cref="InvalidOperationException">The store is damaged.</exception>
    public void Unpack(ReadOnlySpan<byte> packed, Span<byte> target)
    {
        if (!PackedValue.TryReadPrefix(packed, out var prefix) || prefix.Length != target.Length
            || !PackedValue.TryUnpack(packed, prefix, Dictionaries, target))
        {
            ThrowDamaged();
        }
    }

    /// <summary>A value that was proved to be whole cannot be decoded.</summary>
    public static void ThrowDamaged() =>
        throw new InvalidOperationException("The store is damaged: a compressed value cannot be decoded.");

    private bool TryPack(ReadOnlySpan<byte> value, bool wasCompressed, out ReadOnlySpan<byte> packed)
    {
        EnsureLength(ref _packed, value.Length);
        int codec = CodecFor(value.Length);
        var dictionary = codec == PackedValue.NoDictionary ? null : Dictionaries.CurrentDictionary;
        bool isKept = PackedValue.TryPack(value, codec, dictionary, _packed, out int length);
        packed = _packed.AsSpan(0, length);
        if (!wasCompressed)
        {
            _rates.Note(value.Length, isKept);
            NoteSuccess(isKept);
        }

        if (dictionary is not null)
            NoteDictionary(value.Length, isKept ? length : value.Length);
        Volatile.Write(ref _tries, _tries + 1);
        if (isKept)
            Volatile.Write(ref _kept, _kept + 1);
        return isKept;
    }

    // What is not even tried does not become shorter either: a store of such values is not copied in the hope of it.
    private PackStep Leave()
    {
        NoteSuccess(false);
        return PackStep.None;
    }

    private void NoteSuccess(bool isKept) => _success += ((isKept ? Always : 0) - _success) >> AverageShift;

    // A short value of an old dictionary, or from before there was one.
    private bool IsOutdated(ReadOnlySpan<byte> packed) => packed[0] != CodecFor(PackedValue.LengthOf(packed));

    private int CodecFor(int length) =>
        length <= DictionaryTrainer.SampleLengthMax ? Dictionaries.Current : PackedValue.NoDictionary;

    private static void EnsureLength(ref byte[] bytes, int length)
    {
        if (bytes.Length < length)
            bytes = new byte[int.Max(1 << 10, (int)BitOperations.RoundUpToPowerOf2((uint)length))];
    }
}
