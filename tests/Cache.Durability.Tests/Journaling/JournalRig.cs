using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Staging;
using Microsoft.Win32.SafeHandles;

namespace Cache.Durability.Tests.Journaling;

/// <summary>A journal without threads: numbers are recorded, and a start reads them back.</summary>
internal sealed class JournalRig : IBlockTarget
{
    // Long enough for a few blocks, so that files end often.
    public const long FileBytes = 320 << 10;

    private readonly List<int> _found = [];
    private readonly SortedDictionary<int, byte> _parts = [];

    public JournalRig(
        StorageDirectory directory, RecoveryMode mode = RecoveryMode.Strict, JournalOptions? options = null)
    {
        Journal = JournalStart.Open(
            directory, this, mode, options ?? new JournalOptions { FileBytes = FileBytes, Chunks = 8 },
            out var report);
        Report = report;
    }

    public Journal Journal { get; }

    public RecoveryReport Report { get; }

    public StoreCatalog Catalog => CatalogOf(Journal);

    /// <summary>What the start has read; a removal is negative.</summary>
    public IReadOnlyList<int> Found => _found;

    /// <summary>Records a number; the place that a caller waits for.</summary>
    public ulong Record(int number)
    {
        byte[] key = Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture));
        byte[] value = new byte[number % 300];
        Array.Fill(value, (byte)number);
        int size = RecordLayout.SizeOf(RecordKind.Set, RecordFlags.None, key.Length, value.Length);
        StagedPlace place;
        while (!Journal.Staging.TryReserve(size, out place))
            Journal.Staging.WaitForRoom(size);
        if (place.IsNone)
            return 0;
        RecordLayout.Write(place.Bytes, new RecordFields { Kind = RecordKind.Set }, key, value, value.Length);
        place.Fill();
        return place.EndLsn;
    }

    /// <summary>Lets others have its ring, as the end of its process does.</summary>
    public void Kill()
    {
        if (RingOf(Journal) is { } ring && !FileOf(ring).IsClosed)
            PosixCalls.Unlock(FileOf(ring));
    }

    public void NoteGap()
    {
    }

    public void Apply(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload)
    {
        Apply(payload);
    }

    private void Apply(ReadOnlySpan<byte> payload)
    {
        var reader = new RecordReader(payload);
        while (reader.TryRead(out var record))
        {
            if (record.Fields.Kind == RecordKind.Void)
                continue;
            if (record.Fields.Kind == RecordKind.Group)
            {
                Apply(record.Value);
                continue;
            }

            if (record.Fields.Kind == RecordKind.Part)
            {
                foreach (byte value in record.Value)
                    _parts[_parts.Count] = value;
                continue;
            }

            int number = int.Parse(record.Key, CultureInfo.InvariantCulture);
            if (record.Fields.Kind == RecordKind.Remove)
            {
                _found.Add(-number);
                continue;
            }

            if ((record.Fields.Flags & RecordFlags.Parted) != 0)
                Assert.Equal(record.ValueLength, _parts.Count);
            else
                Assert.Equal(number % 300, record.Value.Length);
            Assert.Equal(-1, record.Value.IndexOfAnyExcept((byte)number));
            _found.Add(number);
        }

        Assert.Empty(reader.Problem);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_ring")]
    private static extern ref SharedRing? RingOf(Journal journal);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_catalog")]
    private static extern ref StoreCatalog CatalogOf(Journal journal);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_file")]
    private static extern ref SafeFileHandle FileOf(SharedRing ring);

    /// <summary>The bytes of the parts so far.</summary>
    public byte[] TakeParts()
    {
        byte[] bytes = [.. _parts.Values];
        _parts.Clear();
        return bytes;
    }
}
