using System.IO.Pipelines;
using Cache.Server.Clients;
using Cache.Server.Statistics;
using Cache.Server.Tests.Clients;

namespace Cache.Server.Tests.Commands.Dispatch;

public sealed class CommandContextPoolTests : CommandTestBase
{
    private readonly Pipe _pipe = new();

    [Fact]
    public void Borrow_AgainAndAgain_LendsTheSame()
    {
        var context = Server.Contexts.Borrow();
        Server.Contexts.GiveBack(context);

        Assert.Same(context, Server.Contexts.Borrow());
        Assert.NotSame(context, Server.Contexts.Borrow());
    }

    [Fact]
    public void GiveBack_OfMoreThanThereArePlaces_KeepsWhatWasCounted()
    {
        const int Count = 1000;
        int command = Server.Commands.Get.Index;
        var lent = Enumerable.Range(0, Count).Select(_ => Server.Contexts.Borrow()).ToList();
        foreach (var context in lent)
        {
            context.Counters.CountCall(command);
            context.Counters.Traffic.Reads++;
        }

        Assert.Equal(Count, Server.Statistics.SumCommands()[command].Calls);
        lent.ForEach(Server.Contexts.GiveBack);

        Assert.Equal(Count, Server.Statistics.SumCommands()[command].Calls);
        Assert.Equal(Count, Server.Statistics.SumTraffic().Reads);
        Server.Statistics.Reset();
        Assert.Equal(0, Server.Statistics.SumCommands()[command].Calls);
        Assert.Equal(0, Server.Statistics.SumTraffic().Reads);
    }

    [Fact]
    public void GiveBack_OfMoreThanThereArePlaces_KeepsDurations()
    {
        const int Count = 1000;
        int command = Server.Commands.Get.Index;
        var lent = Enumerable.Range(0, Count).Select(_ => Server.Contexts.Borrow()).ToList();
        lent.ForEach(context => context.Counters.AddTime(command, ticks: 8, calls: 2, isTracked: true));
        lent.ForEach(Server.Contexts.GiveBack);

        Assert.Equal(8 * Count, Server.Statistics.SumCommands()[command].Ticks);
        Assert.Equal(2 * Count, Server.Statistics.SumLatencies(command).Total);
        Server.Statistics.Reset();
        Assert.Equal(0, Server.Statistics.SumLatencies(command).Total);
    }

    // What a client chose is the client's, whoever served it and whoever was served in between.
    [Fact]
    public void Begin_ForAnotherClient_ServesItAsItWasServedLast()
    {
        var context = Server.Contexts.Borrow();
        var one = Server.Clients.TryAdd(new ClientEndPoints("a", "b"), () => { })!;
        var other = Server.Clients.TryAdd(new ClientEndPoints("a", "b"), () => { })!;
        context.Begin(one, _pipe.Writer);
        context.SelectDatabase(3);
        context.SetProtocolVersion(3);
        context.SetReplyMode(ReplyMode.Off);
        context.End();

        context.Begin(other, _pipe.Writer);
        Assert.Equal(0, other.Database);
        Assert.Same(Server.Store, context.Store);
        Assert.Same(context.Output, context.Reply);
        Assert.Equal(2, context.Reply.ProtocolVersion);
        Assert.Equal(ReplyMode.Normal, context.ReplyMode);
        context.End();

        context.Begin(one, _pipe.Writer);
        Assert.Same(Server.Store.SelectKeyspace(3), context.Store);
        Assert.NotSame(context.Output, context.Reply);
        Assert.Equal(3, context.Reply.ProtocolVersion);
        Assert.Equal(3, context.Output.ProtocolVersion);
        context.SetReplyMode(ReplyMode.Normal);
        Assert.Same(context.Output, context.Reply);
    }
}
