using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The part of the sweep that removes expired fields of hashes.</summary>
internal sealed partial class Reclaimer
{
    // So many keys of a segment at a time: others are met by the next sweep.
    private const int SweptHashesMax = 128;

    // Used by the thread that sweeps, of which there is one.
    private readonly List<(byte[] Key, byte Keyspace)> _sweptHashes = [];

    /// <summary>Removes expired fields of a key; set by what writes collections, which lies above the shards.</summary>
    public Action<byte[], byte>? FieldRemover { get; set; }

    private void SweepFields(int segment, Record record, RecordHeader header)
    {
        long firstMs = Shard.FirstMomentOf(_state, record, header);
        if (firstMs == 0)
            return;
        if (firstMs <= _state.Fields.NowMs && _sweptHashes.Count < SweptHashesMax)
            _sweptHashes.Add((record.KeyOf(header).ToArray(), (byte)header.Keyspace));
        _log.LowerMoment(segment, firstMs); // Also if it is removed now: perhaps not all of it.
    }

    // After the claim: a write may need room.
    private void RemoveExpiredFields()
    {
        foreach (var (key, keyspace) in _sweptHashes)
            FieldRemover?.Invoke(key, keyspace);
        _sweptHashes.Clear();
    }
}
