using System.Buffers.Binary;
using Cache.Durability.Format;
using Cache.Durability.Staging;
using Cache.Testing;

namespace Cache.Durability.Tests.Staging;

public sealed class StagingAreaTests
{
    private readonly StagingArea _area = new(chunks: 4, firstSequence: 7);

    [Fact]
    public void TryReserve_Places_LieBehindOneAnother()
    {
        Assert.True(_area.TryReserve(64, out var first));
        Assert.True(_area.TryReserve(24, out var second));
        Assert.True(first.IsFirst);
        Assert.False(second.IsFirst);
        Assert.Equal(StagedPlace.LsnOf(7, BlockHeader.Size), first.Lsn);
        Assert.Equal(first.EndLsn, second.Lsn);
        Assert.Equal(second.EndLsn, _area.NextLsn);
        Assert.Equal(24, second.Bytes.Length);
    }

    [Fact]
    public void TryReserve_NoRoom_ReservesNothing()
    {
        Assert.True(_area.TryReserve(StagingArea.RecordBytesMax - 64, out _));
        Assert.False(_area.TryReserve(72, out _));
        Assert.True(_area.TryReserve(64, out _));
        Assert.False(_area.TryReserve(8, out _));
    }

    [Fact]
    public void WaitForRoom_AnotherChunkIsFree_GoesOnThere()
    {
        Fill(StagingArea.RecordBytesMax);
        _area.WaitForRoom(8);
        Assert.True(_area.TryReserve(8, out var place));
        Assert.Equal(StagedPlace.LsnOf(8, BlockHeader.Size), place.Lsn);
        var chunk = _area.TakeSealed()!;
        Assert.True(chunk.IsWhole);
        Assert.Equal(7, chunk.Sequence);
        Assert.Equal(StagingChunk.Size, chunk.Used);
    }

    [Fact]
    public void Chunks_WhileTheyAreGivenBack_AreTheSameFew()
    {
        for (int i = 0; i < 100; i++)
        {
            Fill(StagingArea.RecordBytesMax);
            _area.WaitForRoom(8);
            _area.Free(_area.TakeSealed()!);
        }

        Assert.Equal(2, _area.ChunkCount);
        Assert.Equal(0, _area.WaitCount);
    }

    [Fact]
    public void WaitForRoom_NothingIsFree_WaitsUntilAChunkIsGivenBack()
    {
        for (int i = 0; i < 4; i++)
        {
            _area.WaitForRoom(StagingArea.RecordBytesMax);
            Fill(StagingArea.RecordBytesMax);
        }

        var waiting = new Thread(() => _area.WaitForRoom(8));
        waiting.Start();
        SpinWait.SpinUntil(() => _area.WaitCount > 0);
        Assert.False(_area.TryReserve(8, out _));
        _area.Free(_area.TakeSealed()!);
        waiting.Join();
        Assert.True(_area.TryReserve(8, out var place));
        Assert.Equal(StagedPlace.LsnOf(11, BlockHeader.Size), place.Lsn);
    }

    [Fact]
    public void Seal_EmptyChunk_Stays()
    {
        _area.Seal();
        Assert.Null(_area.TakeSealed());
    }

    [Fact]
    public void Seal_PlaceThatIsNotFilled_LeavesTheChunkIncomplete()
    {
        Assert.True(_area.TryReserve(64, out var place));
        _area.Seal();
        var chunk = _area.TakeSealed()!;
        Assert.False(chunk.IsWhole);
        place.Fill();
        Assert.True(chunk.IsWhole);
    }

    [Fact]
    public void Hold_FullChunk_WaitsAlthoughOthersAreFree()
    {
        _area.Hold(true);
        Fill(StagingArea.RecordBytesMax);
        _area.Seal();
        Assert.False(_area.HasSealed);
        var waiting = new Thread(() => _area.WaitForRoom(8));
        waiting.Start();
        SpinWait.SpinUntil(() => _area.WaitCount > 0);
        _area.Hold(false);
        waiting.Join();
        Assert.True(_area.TryReserve(8, out _));
    }

    [Fact]
    public void TurnOff_WritesThatGoOn_GetNoPlace()
    {
        Fill(64);
        _area.TurnOff(new IOException("full"), refusesWrites: false);
        Assert.True(_area.TryReserve(64, out var place));
        Assert.True(place.IsNone);
        Assert.NotNull(_area.TakeSealed());
        _area.WaitForRoom(64);
    }

    [Fact]
    public void TurnOff_WritesThatAreRefused_GetTheReason()
    {
        _area.TurnOff(new IOException("the disk is full"), refusesWrites: true);
        _area.TurnOff(new IOException("again"), refusesWrites: true);
        Assert.False(_area.TryReserve(64, out _));
        var failure = Assert.Throws<JournalSuspendedException>(() => _area.WaitForRoom(64));
        Assert.Contains("again", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void TurnOn_PlacesAreGivenAgain_BehindAllThatWere()
    {
        Fill(64);
        ulong before = _area.NextLsn;
        _area.TurnOff(new IOException("full"), refusesWrites: false);
        _area.Free(_area.TakeSealed()!);
        _area.TurnOn();
        Assert.True(_area.TryReserve(64, out var place));
        Assert.True(place.Lsn >= before);
        Assert.False(place.IsNone);
    }

    [Fact]
    public void TryReserve_AfterTheFirstChunks_AllocatesNothing()
    {
        for (int i = 0; i < 3; i++)
            Round();
        Assert.Equal(0, AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
                Round();
        }));

        void Round()
        {
            while (_area.TryReserve(1024, out var place))
                place.Fill();
            _area.WaitForRoom(1024);
            _area.Free(_area.TakeSealed()!);
        }
    }

    // Each thread numbers its records; what is taken has each thread's numbers in their order, none missing.
    [Fact]
    public void Records_OfManyThreads_AreAllThereInEachOnesOrder()
    {
        const int Threads = 4;
        const int Records = 60_000;
        var threads = Enumerable.Range(0, Threads).Select(number => new Thread(() => Stage(number, Records))).ToList();
        threads.ForEach(static thread => thread.Start());
        int[] next = new int[Threads];
        while (next.Any(static count => count < Records))
        {
            _area.Seal();
            while (_area.TakeSealed() is { } chunk)
            {
                SpinWait.SpinUntil(() => chunk.IsWhole);
                Check(chunk, next);
                _area.Free(chunk);
            }
        }

        threads.ForEach(static thread => thread.Join());
        Assert.True(_area.IsEmpty);
    }

    private static void Check(StagingChunk chunk, int[] next)
    {
        var bytes = chunk.Memory.Span[BlockHeader.Size..chunk.Used];
        for (; !bytes.IsEmpty; bytes = bytes[LengthOf(BinaryPrimitives.ReadInt32LittleEndian(bytes[4..]))..])
        {
            int thread = BinaryPrimitives.ReadInt32LittleEndian(bytes);
            Assert.Equal(next[thread]++, BinaryPrimitives.ReadInt32LittleEndian(bytes[4..]));
        }
    }

    private static int LengthOf(int record) => 8 + 8 * (record % 50);

    private void Stage(int thread, int records)
    {
        for (int i = 0; i < records; i++)
        {
            StagedPlace place;
            while (!_area.TryReserve(LengthOf(i), out place))
                _area.WaitForRoom(LengthOf(i));
            BinaryPrimitives.WriteInt32LittleEndian(place.Bytes, thread);
            BinaryPrimitives.WriteInt32LittleEndian(place.Bytes[4..], i);
            place.Fill();
        }
    }

    private void Fill(int length)
    {
        Assert.True(_area.TryReserve(length, out var place));
        place.Fill();
    }
}
