using Cache.Core.Curve;

namespace Cache.Core.Tests.Curve;

public class AccessSamplesTests
{
    private readonly AccessSamples _samples = new();
    private readonly ulong[] _notes = new ulong[AccessSamples.Capacity];

    [Fact]
    public void IsSampled_BeforeTheStart_Nothing()
    {
        Assert.DoesNotContain(true, Enumerable.Range(0, 10_000).Select(i => _samples.IsSampled((ulong)i * 4)));
    }

    [Fact]
    public void IsSampled_AnEighth_OneHashOfEightWhateverItsLowestBits()
    {
        _samples.Start(shift: 3);

        for (ulong hash = 0; hash < 64; hash++)
            Assert.Equal(hash / 4 % 8 == 7, _samples.IsSampled(hash));
    }

    [Fact]
    public void Start_ALargerShift_SamplesAPartOfTheSameKeys()
    {
        for (ulong hash = 0; hash < 1 << 12; hash++)
        {
            if (AccessSamples.IsSampled(hash, shift: 5))
                Assert.True(AccessSamples.IsSampled(hash, shift: 4));
        }
    }

    [Fact]
    public void Take_AfterNotes_HasThemInOrderWithTheirKinds()
    {
        _samples.Note(0xFF, AccessKind.Miss);
        _samples.Note(0xA1, AccessKind.Write);
        _samples.Note(0xFC, AccessKind.Removal);

        int count = _samples.Take(_notes, out long dropped);

        Assert.Equal(3, count);
        Assert.Equal(0, dropped);
        Assert.Equal(
            [(0xFCUL, AccessKind.Miss), (0xA0UL, AccessKind.Write), (0xFCUL, AccessKind.Removal)],
            _notes[..3].Select(note => (AccessSamples.HashOf(note), AccessSamples.KindOf(note))));
        Assert.Equal(0, _samples.Take(_notes, out _));
    }

    [Fact]
    public void Note_MoreThanThereIsRoomFor_AreDroppedAndCounted()
    {
        for (ulong i = 1; i <= AccessSamples.Capacity + 10; i++)
            _samples.Note(i * 4, AccessKind.Hit);

        Assert.Equal(AccessSamples.Capacity, _samples.Take(_notes, out long dropped));
        Assert.Equal(10, dropped);
        Assert.Equal(4UL, _notes[0]); // The first ones stay.

        _samples.Note(400, AccessKind.Hit);

        Assert.Equal(1, _samples.Take(_notes, out dropped));
        Assert.Equal(0, dropped);
    }

    [Fact]
    public async Task Note_OnManyThreadsWhileTaken_EachIsTakenOnceOrDropped()
    {
        const int Threads = 4;
        const int NotesEach = 200_000;
        long dropped = 0;
        var taken = new HashSet<ulong>();
        var writers = Enumerable.Range(0, Threads).Select(thread => Task.Run(() =>
        {
            for (int i = 0; i < NotesEach; i++)
                _samples.Note((((ulong)thread << 32) | (uint)i) + 1 << 2, AccessKind.Hit);
        })).ToArray();
        bool isLast;
        do
        {
            isLast = writers.All(writer => writer.IsCompleted);
            int count = _samples.Take(_notes, out long lost);
            dropped += lost;
            foreach (ulong note in _notes.AsSpan(0, count))
                Assert.True(taken.Add(note), "taken twice");
        }
        while (!isLast);
        await Task.WhenAll(writers);

        // Two that write to one place at the same moment, a lap apart, lose one that nobody counts.
        Assert.InRange(taken.Count + dropped, Threads * NotesEach * 0.999, Threads * NotesEach);
    }
}
