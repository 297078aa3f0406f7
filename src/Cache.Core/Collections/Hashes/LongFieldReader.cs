using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Hashes;

/// <summary>
/// Reads of a long value: a reference is taken while the collection is held, and copied from afterwards.
/// </summary>
/// <remarks>Without the hold its block could be freed, and be memory of others, before it has the reference.</remarks>
internal static class LongFieldReader
{
    /// <summary>Copies the value of a field of a large hash, long or not, into the sink.</summary>
    /// <returns>Null if the key has no large hash any more: to be read as any other.</returns>
    public static ReadStatus? Read<TSink>(
        StoreState state, scoped in EntryKey key, scoped ReadOnlySpan<byte> field, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        if (!state.ShardOf(key.Hash).TryHoldObject(key, EntryKind.Hash, out var stub, out uint version))
            return null;
        var objects = state.Objects!;
        bool isHeld = true;
        try
        {
            var view = objects.ViewOf(stub.Number);
            if (!view.TryFindField(field, out var entry))
                return ReadStatus.NotFound;
            if (!entry.IsValueStub)
            {
                Copy(entry.Value, ref sink);
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
