using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>
/// Reads of a long value, or a long element: a reference is taken while the collection is held, and copied from
/// afterwards.
/// </summary>
/// <remarks>Without the hold its block could be freed, and be memory of others, before it has the reference.</remarks>
internal static class LongElementReader
{
    /// <summary>
    /// Copies the value of a field of a large hash, or an element of a large list, long or not, into the sink.
    /// </summary>
    /// <returns>Null if the key has no such collection any more: to be read as any other.</returns>
    public static ReadStatus? Read<TFinder, TSink>(
        StoreState state, scoped in EntryKey key, TFinder finder, ref TSink sink)
        where TFinder : struct, IElementFinder, allows ref struct
        where TSink : struct, IValueSink, allows ref struct
    {
        if (!state.ShardOf(key.Hash).TryHoldObject(key, finder.Kind, out var stub, out uint version))
            return null;
        var objects = state.Objects!;
        bool isHeld = true;
        try
        {
            var view = objects.ViewOf(stub.Number);
            if (!finder.TryFind(view, out var entry))
                return ReadStatus.NotFound;
            bool isOfList = finder.Kind == EntryKind.List;
            if (!(isOfList ? entry.IsNameStub : entry.IsValueStub))
            {
                Copy(isOfList ? entry.Name : entry.Value, ref sink);
                return ReadStatus.Found;
            }

            using var loan = view.Borrow(entry);
            objects.Table.LetGo(stub.Number, version, isChanged: false);
            isHeld = false;
            Copy(loan.Value, ref sink);
            return ReadStatus.Found;
        }
        finally // The sink may throw.
        {
            if (isHeld)
                objects.Table.LetGo(stub.Number, version, isChanged: false);
        }
    }

    private static void Copy<TSink>(scoped ReadOnlySpan<byte> value, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        value.CopyTo(sink.GetSpan(value.Length));
        sink.Advance(value.Length);
    }
}
