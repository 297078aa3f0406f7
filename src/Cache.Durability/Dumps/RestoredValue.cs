using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Rdb;

namespace Cache.Durability.Dumps;

/// <summary>Reads the payloads of RESTORE, and gives them to keys.</summary>
/// <remarks>
/// A payload may come from anybody: what is read of it is what the store could have made, or nothing. Each thread has
/// one, which keeps some memory. One payload at a time.
/// </remarks>
internal sealed class RestoredValue
{
    // What a thread keeps for the next payload; most have a few hundred bytes.
    private const long KeptBytesMax = 1 << 20;

    [ThreadStatic]
    private static RestoredValue? _ofThread;

    private readonly DumpCollection _collection = new();
    private readonly RdbValueReader _reader;
    private RdbKind _kind;

    private RestoredValue() => _reader = new RdbValueReader(_collection.Elements, _collection.Stream);

    /// <summary>The memory that this thread keeps for its next payload.</summary>
    public static long KeptBytes => _ofThread?.HeldBytes ?? 0;

    private long HeldBytes => _reader.HeldBytes + _collection.HeldBytes;

    /// <summary>Gives a key the value of a payload.</summary>
    /// <param name="store">The store, or the view of a transaction.</param>
    /// <param name="key">The key.</param>
    /// <param name="payload">The payload.</param>
    /// <param name="options">Not with an expiry in the past.</param>
    /// <param name="written">What the store says.</param>
    public static RestoreStatus Write(
        CacheStore store, ReadOnlySpan<byte> key, ReadOnlySpan<byte> payload, in EntryOptions options,
        out WriteStatus written)
    {
        var value = _ofThread ?? new RestoredValue();
        _ofThread = null; // Should an event of the store come back to here.
        long heldBefore = value.HeldBytes;
        long counted = 0;
        try
        {
            var status = value.Read(payload, store.FirstListChange);
            counted = value.HeldBytes - heldBefore;
            store.AddOutsideBytes(counted);
            written = WriteStatus.Done;
            return status == RestoreStatus.Written ? value.Write(store, key, options, out written) : status;
        }
        finally
        {
            if (counted != 0)
                store.AddOutsideBytes(-counted);
            value.Trim();
            _ofThread = value;
        }
    }

    /// <summary>Whether a payload can be written, without any store.</summary>
    public static RestoreStatus Check(ReadOnlySpan<byte> payload)
    {
        var value = _ofThread ??= new RestoredValue();
        try
        {
            return value.Read(payload, LargeCollection.FirstChange);
        }
        finally
        {
            value.Trim();
        }
    }

    // Written: it can be.
    private RestoreStatus Read(ReadOnlySpan<byte> payload, ulong firstChange)
    {
        if (!RdbPayload.TryOpen(payload, out var bytes))
            return RestoreStatus.NoPayload;
        try
        {
            _kind = _reader.Read(bytes);
            if (_kind == RdbKind.String || _collection.TryMake(_kind, _reader.Offset, firstChange))
                return RestoreStatus.Written;
            bool isEmpty = _kind != RdbKind.Stream && _collection.Elements.Count == 0;
            return isEmpty ? RestoreStatus.Damaged : RestoreStatus.TooLong;
        }
        catch (RdbFormatException)
        {
            return RestoreStatus.Damaged;
        }
    }

    private RestoreStatus Write(
        CacheStore store, ReadOnlySpan<byte> key, in EntryOptions options, out WriteStatus written)
    {
        if (_kind == RdbKind.String)
        {
            written = store.Set(key, _reader.Text.Span, options);
            return RestoreStatus.Written;
        }

        var kind = StoredType.KindOf(DumpCollection.TypeOf(_kind));
        written = store.SetForeign(key, kind, Bytes, options, out bool isWhole);
        if (written == WriteStatus.CollectionTooLong && _collection.TryMakeLarge(_kind, store.FirstListChange))
            written = store.SetForeign(key, kind, Bytes, options, out isWhole);
        return isWhole ? RestoreStatus.Written : RestoreStatus.Damaged;
    }

    private ReadOnlySpan<byte> Bytes => _collection.Bytes.AsSpan(0, _collection.Length);

    private void Trim()
    {
        if (HeldBytes <= KeptBytesMax)
            return;
        _reader.Trim();
        _collection.Trim();
    }
}
