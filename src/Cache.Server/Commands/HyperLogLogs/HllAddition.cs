using Cache.Core;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>PFADD: adds elements, of which only what they raise is known.</summary>
internal ref struct HllAddition(ReadOnlySpan<int> raised, Span<byte> memory) : IValueUpdate
{
    private readonly ReadOnlySpan<int> _raised = raised;
    private HllEditor _editor = new(memory);

    public readonly int LengthMax => HllFormat.LengthMax;

    public readonly ReadOnlySpan<byte> Value => _editor.Text;

    public HllFault Fault { get; private set; }

    public bool TryMake(ReadOnlySpan<byte> present, bool exists)
    {
        if (exists && HasAll(present))
        {
            Fault = HllFault.None;
            return false;
        }

        Fault = _editor.Read(present, exists);
        if (Fault != HllFault.None)
            return false;
        bool isChanged = !exists;
        foreach (int packed in _raised)
        {
            var (index, value) = HllRaises.Unpack(packed);
            isChanged |= _editor.Set(index, value);
        }

        if (isChanged)
            _editor.MarkOutdated();
        return isChanged;
    }

    // Most elements raise nothing: then nothing is copied, and nothing looked at but their registers, as in Redis.
    private readonly bool HasAll(ReadOnlySpan<byte> present)
    {
        if (!HllFormat.HasHeader(present))
            return false;
        foreach (int packed in _raised)
        {
            var (index, value) = HllRaises.Unpack(packed);
            if (!HllFormat.TryGetRegister(present, index, out int held) || held < value)
                return false;
        }

        return true;
    }
}
