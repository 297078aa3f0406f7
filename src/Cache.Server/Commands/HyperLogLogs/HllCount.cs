using Cache.Core;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>PFCOUNT of one key: the number in its header, which is computed and written if it is outdated.</summary>
internal ref struct HllCount(Span<byte> memory) : IValueUpdate
{
    private HllEditor _editor = new(memory);

    public readonly int LengthMax => HllFormat.LengthMax;

    public readonly ReadOnlySpan<byte> Value => _editor.Text;

    public HllFault Fault { get; private set; }

    public long Cardinality { get; private set; }

    public bool TryMake(ReadOnlySpan<byte> present, bool exists)
    {
        (Fault, Cardinality) = (HllFault.None, 0);
        if (!exists)
            return false;
        if (!HllFormat.HasHeader(present))
        {
            Fault = HllFault.OtherString;
            return false;
        }

        // Redis does not look at the registers then.
        if (HllFormat.TryGetCardinality(present, out long cardinality))
        {
            Cardinality = cardinality;
            return false;
        }

        Fault = _editor.Read(present, exists);
        if (Fault != HllFault.None || !HllEstimate.TryOf(present, out cardinality))
            return false;
        Cardinality = cardinality;
        _editor.SetCardinality(cardinality);
        return true;
    }
}
