using Cache.Server.Clients;
using Cache.Server.Commands.Table;
using Cache.Testing;

namespace Cache.Server.Tests.Clients;

public sealed class TurnTests
{
    private readonly FakeTimeProvider _clock = new();

    [Fact]
    public void IsOver_WithinAMillisecondOfTheFirstLook_IsFalse()
    {
        var turn = default(Turn);
        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.False(turn.IsOver(_clock));
        _clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.False(turn.IsOver(_clock));
    }

    [Fact]
    public void IsOver_AfterMore_IsTrueUntilTheNextBegins()
    {
        var turn = default(Turn);
        _clock.Advance(TimeSpan.FromSeconds(1));
        turn.IsOver(_clock);
        _clock.Advance(TimeSpan.FromMilliseconds(1.1));

        Assert.True(turn.IsOver(_clock));
        turn.Begin();
        Assert.False(turn.IsOver(_clock));
    }

    [Theory]
    [InlineData("get", nameof(CommandWork.Short))]
    [InlineData("set", nameof(CommandWork.Short))]
    [InlineData("setex", nameof(CommandWork.Short))]
    [InlineData("incr", nameof(CommandWork.Short))]
    [InlineData("expire", nameof(CommandWork.Short))]
    [InlineData("incrbyfloat", nameof(CommandWork.Unsure))]
    [InlineData("mget", nameof(CommandWork.Unsure))]
    [InlineData("del", nameof(CommandWork.Unsure))]
    [InlineData("exists", nameof(CommandWork.Unsure))]
    [InlineData("scan", nameof(CommandWork.Unsure))]
    [InlineData("lcs", nameof(CommandWork.Unsure))]
    [InlineData("info", nameof(CommandWork.Unsure))]
    [InlineData("flushall", nameof(CommandWork.Unsure))]
    [InlineData("config|set", nameof(CommandWork.Long))]
    [InlineData("config|rewrite", nameof(CommandWork.Long))]
    [InlineData("command|docs", nameof(CommandWork.Long))]
    public void Work_OfACommand_IsWhatItsNameTells(string name, string work) =>
        Assert.Equal(work, CommandTable.Default.FindFull(System.Text.Encoding.ASCII.GetBytes(name))!.Work.ToString());
}
