using System.Diagnostics;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>A HyperLogLog that is changed, in memory of the caller's.</summary>
/// <param name="memory"><see cref="MemorySize"/> bytes.</param>
internal ref struct HllEditor(Span<byte> memory)
{
    public const int MemorySize = HllFormat.LengthMax + HllSparse.GrowthMax;

    private readonly Span<byte> _memory = memory[..MemorySize];
    private int _length;

    public readonly ReadOnlySpan<byte> Text => _memory[.._length];

    /// <summary>Begins with a string of the store, or without elements.</summary>
    public HllFault Read(ReadOnlySpan<byte> present, bool exists)
    {
        if (!exists)
        {
            _length = HllFormat.WriteEmpty(_memory);
            return HllFault.None;
        }

        var fault = HllFaults.Of(present);
        if (fault != HllFault.None)
            return fault;
        present.CopyTo(_memory);
        _length = present.Length;
        return HllFault.None;
    }

    /// <summary>Raises a register to a value.</summary>
    /// <returns>Whether it had a lower one.</returns>
    public bool Set(int index, int value)
    {
        if (HllFormat.IsSparse(_memory))
        {
            int length = _length - HllFormat.HeaderLength;
            const int LengthMax = HllFormat.SparseLengthMax - HllFormat.HeaderLength;
            var runs = _memory[HllFormat.HeaderLength..];
            if (HllSparse.TrySet(runs, ref length, LengthMax, index, value, out bool isRaised))
            {
                _length = HllFormat.HeaderLength + length;
                return isRaised;
            }

            MakeDense();
        }

        var registers = _memory[HllFormat.HeaderLength..HllFormat.DenseLength];
        if (HllDense.Get(registers, index) >= value)
            return false;
        HllDense.Set(registers, index, value);
        return true;
    }

    /// <returns>Whether it was sparse.</returns>
    public bool MakeDense()
    {
        bool wasSparse = HllFormat.IsSparse(_memory);
        _length = HllFormat.MakeDense(_memory, _length);
        Debug.Assert(_length == HllFormat.DenseLength);
        return wasSparse;
    }

    public readonly void MarkOutdated() => HllFormat.MarkOutdated(_memory);

    public readonly void SetCardinality(long cardinality) => HllFormat.SetCardinality(_memory, cardinality);
}
