using System.Diagnostics;
using Cache.Core.Compression;
using Cache.Core.Layout;

namespace Cache.Core.Log;

/// <summary>Counts the records with compressed values: how many need each dictionary, and what they save.</summary>
/// <remarks>
/// A record is counted from its commit to its end, under the lock of its home; its value does not change in between.
/// A record that takes another's place is counted first, so a count of 0 says that the dictionary is not needed.
/// </remarks>
internal sealed class PackedRecords
{
    // Written interlocked; read anywhere.
    private readonly long[] _countByCodec = new long[PackedValue.CodecCount];
    private long _valueBytes;
    private long _packedBytes;

    /// <summary>The length of all compressed values before.</summary>
    public long ValueBytes => Volatile.Read(ref _valueBytes);

    /// <summary>Their length in the records.</summary>
    public long PackedBytes => Volatile.Read(ref _packedBytes);

    /// <summary>All compressed values.</summary>
    public long Count
    {
        get
        {
            long count = 0;
            for (int codec = 0; codec < _countByCodec.Length; codec++)
                count += CountOf(codec);
            return count;
        }
    }

    /// <summary>The values that need a dictionary.</summary>
    public long CountOf(int codec) => Volatile.Read(ref _countByCodec[codec]);

    public void Add(Record record, RecordHeader header) => AddTo(record, header, 1);

    public void Remove(Record record, RecordHeader header) => AddTo(record, header, -1);

    private void AddTo(Record record, RecordHeader header, int sign)
    {
        Debug.Assert(header.IsCompressed && !header.IsLarge);
        bool isPacked = PackedValue.TryReadPrefix(record.ValueOf(header), out var prefix);
        Debug.Assert(isPacked, "A compressed value has a prefix.");
        long count = Interlocked.Add(ref _countByCodec[prefix.Codec], sign);
        Debug.Assert(count >= 0, "What goes was counted when it came.");
        Interlocked.Add(ref _valueBytes, sign * prefix.Length);
        Interlocked.Add(ref _packedBytes, sign * header.ValueLength);
    }
}
