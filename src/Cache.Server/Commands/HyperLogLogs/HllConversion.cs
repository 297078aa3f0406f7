using Cache.Core;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>PFDEBUG TODENSE and GETREG: the dense form of a key.</summary>
internal ref struct HllConversion(Span<byte> memory) : IValueUpdate
{
    private HllEditor _editor = new(memory);

    public readonly int LengthMax => HllFormat.LengthMax;

    public readonly ReadOnlySpan<byte> Value => _editor.Text;

    public bool Exists { get; private set; }

    public HllFault Fault { get; private set; }

    /// <summary>Whether it is changed.</summary>
    public bool WasSparse { get; private set; }

    public bool TryMake(ReadOnlySpan<byte> present, bool exists)
    {
        Exists = exists;
        Fault = _editor.Read(present, exists);
        WasSparse = exists && Fault == HllFault.None && _editor.MakeDense();
        return WasSparse;
    }
}
