using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Where each element of a whole packed collection begins: for reads in any order.</summary>
internal ref struct ElementStarts
{
    private readonly PackedTable _table;
    private Offsets _offsets;

    public ElementStarts(PackedTable table)
    {
        _table = table;
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
            _offsets[place.Index] = (ushort)place.Start;
    }

    public readonly int Count => _table.Count;

    public readonly PackedPlace this[int index]
    {
        get
        {
            Debug.Assert((uint)index < (uint)_table.Count);
            if (!_table.TryReadAt(index, _offsets[index], out var place))
                PackedCheck.ThrowDamaged();
            return place;
        }
    }

    [InlineArray(PackedTable.CountMax)]
    private struct Offsets
    {
        private ushort _first;
    }
}
