using System.Runtime.InteropServices;
using Cache.Core.Layout;
using Record = Cache.Core.Layout.Record;

namespace Cache.Core.Tests.Layout;

/// <summary>Sizes and places, as they are drawn at the top of the files in Layout.</summary>
public sealed class LayoutTests
{
    [Fact]
    public void Sizes_AreThoseOfTheDrawings()
    {
        Assert.Equal(64, Bucket.Size);
        Assert.Equal(8, Marshal.SizeOf<RecordHeader>());
        Assert.Equal(RecordHeader.Size, Marshal.SizeOf<RecordHeader>());
        Assert.Equal(64, Marshal.SizeOf<SegmentInfo>());
        Assert.Equal(4096, IndexPage.Size);
        Assert.Equal((56, 8, 448), (IndexPage.HomeCount, IndexPage.StashCount, IndexPage.SlotCount));
        Assert.Equal((4 << 10, 2 << 20), (SegmentMemory.SizeMin, SegmentMemory.SizeMax));
    }

    [Theory]
    [InlineData(nameof(SegmentInfo.StateWord), 0)]
    [InlineData(nameof(SegmentInfo.End), 8)]
    [InlineData(nameof(SegmentInfo.Committed), 12)]
    [InlineData(nameof(SegmentInfo.Dead), 16)]
    [InlineData(nameof(SegmentInfo.ExpiringCount), 20)]
    [InlineData(nameof(SegmentInfo.MinDeadlineMs), 24)]
    [InlineData(nameof(SegmentInfo.Sequence), 32)]
    [InlineData(nameof(SegmentInfo.LargeBytes), 40)]
    [InlineData(nameof(SegmentInfo.Stream), 48)]
    [InlineData(nameof(SegmentInfo.MinMomentMs), 56)]
    [InlineData(nameof(SegmentInfo.Start), 52)]
    [InlineData(nameof(SegmentInfo.Resident), 50)]
    [InlineData(nameof(SegmentInfo.LookRound), 51)]
    public void SegmentInfo_Field_IsAtItsPlace(string field, int offset) =>
        Assert.Equal(offset, (int)Marshal.OffsetOf<SegmentInfo>(field));

    [Fact]
    public void RecordHeader_Fields_AreInTheirBits()
    {
        var header = RecordHeader.Create(0x1234, 0x5, 0x6789 * 8, 0xABCDE, new RecordExpiry(1, 1, 1), large: true);

        Assert.Equal(0xABCDE_0_7_6789_5_1234UL, header.Word);
        Assert.Equal(0xABCDE_0_F_6789_5_1234UL, header.AsDead().Word);
        Assert.Equal(
            (0x1234, 0x5, 0x6789 * 8, 0xABCDE),
            (header.KeyLength, header.Keyspace, header.RecordSize, header.ValueLength));
        Assert.Equal(24, header.TrailerLength);
    }

    [Theory]
    [InlineData(EntryKind.String, 0x0)]
    [InlineData(EntryKind.Hash, 0x2)]
    [InlineData(EntryKind.List, 0x4)]
    [InlineData(EntryKind.Set, 0x6)]
    [InlineData(EntryKind.SortedSet, 0x8)]
    [InlineData(EntryKind.Stream, 0xA)]
    public void RecordHeader_Kind_IsInItsBitsAndStays(EntryKind kind, int bits)
    {
        var expiry = new RecordExpiry(1, 1, 1);
        var header = RecordHeader.Create(3, 2, 64, 0xABCDE, default, large: false).WithKind(kind);

        Assert.Equal((ulong)bits, header.Word >> 40 & 0xF);
        Assert.Equal((kind, kind == EntryKind.String), (header.Kind, header.IsRaw));
        Assert.Equal(kind == EntryKind.String, header.IsPlain(RecordHeader.KeyPatternOf(3, 2)));
        Assert.Equal(kind, header.AsDead().Kind);
        Assert.Equal(
            RecordHeader.Create(5, 4, 128, 1, expiry, large: false).WithKind(kind),
            header.WithExpiry(expiry).WithKey(5, 4).WithRecordSize(128).WithValueLength(1));
        Assert.Equal(header, header.WithExpiry(expiry).WithExpiry(default));
        Assert.Equal(RecordHeader.Create(3, 2, 64, 0xABCDE, default, large: false), header.WithKind(EntryKind.String));
    }

    // Nothing writes such a value yet; one that is met is not served as it lies there.
    [Fact]
    public void RecordHeader_Compressed_IsAStringThatIsNotRaw()
    {
        var header = new RecordHeader(RecordHeader.Create(3, 2, 64, 8, default, large: false).Word | 1UL << 40);

        Assert.Equal((EntryKind.String, false), (header.Kind, header.IsRaw));
        Assert.False(header.IsPlain(RecordHeader.KeyPatternOf(3, 2)));
        Assert.True(header.WithKind(EntryKind.String).IsRaw);
    }

    [Fact]
    public void Pages_AndBuckets_AreBesideEachOtherAndAligned()
    {
        using var index = new IndexMemory(1 << 20, 1 << 20, hugePages: false);
        Assert.True(index.TryAllocate(out uint first, out _));
        Assert.True(index.TryAllocate(out uint second, out _));

        nuint start = index.Pages[first][0].Order;
        Assert.Equal(0u, start % 4096);
        Assert.Equal(start + 4096, index.Pages[second][0].Order);
        Assert.Equal(start + 63 * 64, index.Pages[first][63].Order);
        Assert.Equal(63, index.Pages[first][63].IndexInPage);
        Assert.Equal(0, IndexPage.NeighbourIndexOf(55));
    }

    [Fact]
    public void Record_Parts_AreAtTheirPlaces()
    {
        using var segments = new SegmentMemory(4096, 1 << 20, 1 << 20, hugePages: false);
        var record = segments.Space.At(1, 64);
        var expiry = new RecordExpiry(111, 333, 222);
        int size = Record.SizeOf(3, 2, expiry);
        record.Header = RecordHeader.Create(3, 0, size, 2, expiry, large: false);
        record.WriteKey("key"u8);
        "va"u8.CopyTo(record.ValueOf(record.Header));
        record.WriteExpiry(record.Header, expiry);

        nint start = (nint)record.Address;
        Assert.Equal(40, size);
        Assert.Equal((long)record.Header.Word, Marshal.ReadInt64(start));
        byte[] bytes = new byte[5];
        Marshal.Copy(start + 8, bytes, 0, 5);
        Assert.Equal("keyva"u8.ToArray(), bytes);
        Assert.Equal(333, Marshal.ReadInt64(start, size - 24));
        Assert.Equal(222, Marshal.ReadInt64(start, size - 16));
        Assert.Equal(111, Marshal.ReadInt64(start, size - 8));
        Assert.Equal((1, (4096UL + 64) / 8), (segments.Space.SegmentOf(record), segments.Space.AddressOf(record)));
    }

#if CACHE_CHECKED
    [Fact]
    public void AddressCheck_OutsideOfEveryReservation_Throws() =>
        Assert.Throws<InvalidOperationException>(static () => default(RecordSpace)[1]);
#endif
}
