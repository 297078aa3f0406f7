using Cache.Durability.Control;

namespace Cache.Durability.Tests.Control;

public sealed class SnapshotScheduleTests
{
    private static readonly SavePoint[] _points = [new(60, 10), new(5, 100)];

    [Theory]
    [InlineData(10, 60, false)]
    [InlineData(10, 61, true)]
    [InlineData(9, 3_600, false)]
    [InlineData(100, 6, true)]
    [InlineData(99, 6, false)]
    public void IsSaveDue_ChangesAndTime_AsAPointSays(int changes, int seconds, bool isDue) =>
        Assert.Equal(isDue, SnapshotSchedule.IsSaveDue(_points, new SnapshotFigures(), changes, 0, seconds * 1_000L));

    [Fact]
    public void IsSaveDue_AfterASave_CountsFromThere()
    {
        var figures = new SnapshotFigures { LastMs = 100_000, ChangesAtLast = 50 };
        Assert.False(SnapshotSchedule.IsSaveDue(_points, figures, 60, 0, 160_000));
        Assert.True(SnapshotSchedule.IsSaveDue(_points, figures, 60, 0, 160_001));
        Assert.False(SnapshotSchedule.IsSaveDue(_points, figures, 59, 0, 999_999));
    }

    [Fact]
    public void IsSaveDue_AfterAFailure_WaitsAMoment()
    {
        var figures = new SnapshotFigures
        {
            Save = new SnapshotOutcome { Failure = new IOException(), EndedMs = 100_000 },
        };
        Assert.False(SnapshotSchedule.IsSaveDue(_points, figures, 1_000, 0, 105_000));
        Assert.True(SnapshotSchedule.IsSaveDue(_points, figures, 1_000, 0, 105_001));
    }

    [Theory]
    [InlineData(100, 1_000, 400, 600, false)]
    [InlineData(100, 1_000, 400, 601, true)]
    [InlineData(100, 1_000, 700, 601, false)]
    [InlineData(50, 1_000, 1_000, 500, true)]
    [InlineData(0, 0, 1, 1_000_000, false)]
    [InlineData(100, 0, 0, 1, true)]
    public void IsRewriteDue_SizeAndGrowth_AsRedisSays(
        int percent, long min, long snapshot, long journal, bool isDue) =>
        Assert.Equal(
            isDue,
            SnapshotSchedule.IsRewriteDue(percent, min, snapshot, journal, new SnapshotFigures(), nowMs: 0));
}
