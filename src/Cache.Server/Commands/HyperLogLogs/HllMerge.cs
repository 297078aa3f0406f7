using Cache.Core;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>PFMERGE: raises the registers of the destination.</summary>
internal ref struct HllMerge(ReadOnlySpan<byte> most, bool isDense, Span<byte> memory) : IValueUpdate
{
    private readonly ReadOnlySpan<byte> _most = most;
    private HllEditor _editor = new(memory);

    public readonly int LengthMax => HllFormat.LengthMax;

    public readonly ReadOnlySpan<byte> Value => _editor.Text;

    public HllFault Fault { get; private set; }

    public bool TryMake(ReadOnlySpan<byte> present, bool exists)
    {
        Fault = _editor.Read(present, exists);
        if (Fault != HllFault.None)
            return false;
        if (isDense)
            _editor.MakeDense();
        for (int i = 0; i < HllFormat.Registers; i++)
        {
            if (_most[i] != 0)
                _editor.Set(i, _most[i]);
        }

        _editor.MarkOutdated();
        return true;
    }
}
