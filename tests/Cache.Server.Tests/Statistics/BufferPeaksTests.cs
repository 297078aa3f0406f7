using Cache.Server.Statistics;

namespace Cache.Server.Tests.Statistics;

public sealed class BufferPeaksTests
{
    private readonly BufferPeaks _peaks = new();

    [Fact]
    public void Read_Sizes_HasTheLargestOfEightSeconds()
    {
        _peaks.NoteInput(100_000, 500);
        _peaks.NoteInput(100_500, 300);
        _peaks.NoteOutput(100_600, 7L << 30);
        _peaks.NoteInput(103_000, 200);

        Assert.Equal((500, 7L << 30), _peaks.Read(100_900));
        Assert.Equal((500, 7L << 30), _peaks.Read(107_999));
        Assert.Equal((200, 0), _peaks.Read(108_000));
        Assert.Equal((0, 0), _peaks.Read(111_000));
    }

    [Fact]
    public void Read_LargerSizeInTheSameSecond_TakesItsPlace()
    {
        _peaks.NoteInput(5_000, 10);
        _peaks.NoteInput(5_100, 30);
        _peaks.NoteInput(5_200, 20);

        Assert.Equal((30, 0), _peaks.Read(5_300));
    }
}
