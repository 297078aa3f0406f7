using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Tests.Commands;

namespace Cache.Server.Tests.Clients;

public sealed class OutboxTests : CommandTestBase
{
    private int _wakes;

    private Outbox Box => Client.Context.OpenOutbox();

    [Fact]
    public void TryPost_WhileTheConnectionWrites_WakesNobody()
    {
        Assert.True(Box.TryPost("a"u8.ToArray()));
        Assert.False(Box.TryRest(Wake));

        Assert.Equal(0, _wakes);
        Assert.Equal("a", Take());
    }

    [Fact]
    public void TryPost_WhileItRests_WakesOnceForAll()
    {
        Assert.True(Box.TryRest(Wake));
        for (int i = 0; i < 10; i++)
            Box.TryPost(Encoding.ASCII.GetBytes($"{i}"));

        Assert.Equal(1, _wakes);
        Assert.True(Box.TryBeginDrain());
        Assert.Equal("0123456789", Take());
        Assert.True(Box.TryEndDrain());
        Box.TryPost("b"u8.ToArray());
        Assert.Equal(2, _wakes);
    }

    [Fact]
    public void TryEndDrain_WithMoreMessages_GoesOn()
    {
        Box.TryRest(Wake);
        Box.TryPost("a"u8.ToArray());
        Box.TryBeginDrain();
        Take();
        Box.TryPost("b"u8.ToArray());

        Assert.False(Box.TryEndDrain());
        Assert.Equal("b", Take());
        Assert.True(Box.TryEndDrain());
        Assert.Equal(1, _wakes);
    }

    [Fact]
    public void TryResume_WhileItIsDrained_WaitsForTheTurn()
    {
        Box.TryRest(Wake);
        Box.TryPost("a"u8.ToArray());
        Box.TryBeginDrain();
        var resumed = Box.TryResume();
        Assert.False(resumed!.IsCompleted);

        Box.TryPost("b"u8.ToArray());
        Assert.True(Box.TryEndDrain());

        Assert.True(resumed.IsCompleted);
        Assert.False(Box.TryRest(Wake));
        Assert.Equal("ab", Take());
    }

    // What a client is told of its own element, which another thread took for it, comes behind the reply about that.
    [Fact]
    public void BeginReply_KeepsBackWhatComesLater()
    {
        Box.TryRest(Wake);
        Box.TryPost("a"u8.ToArray());
        Box.BeginReply();
        Box.TryPost("b"u8.ToArray());
        Box.TryBeginDrain();

        Assert.Equal("a", Take());
        Assert.True(Box.TryEndDrain());
        Assert.Null(Box.TryResume());
        Assert.Equal("", Take());
        Box.EndReply();
        Assert.Equal("b", Take());
        Assert.True(Box.TryRest(Wake));
        Assert.Equal(1, _wakes);
    }

    [Fact]
    public void EndReply_OfAClientThatGoesOnWaiting_WakesForWhatWasKeptBack()
    {
        Box.TryRest(Wake);
        Box.BeginReply();
        Box.TryPost("a"u8.ToArray());
        Assert.True(Box.TryBeginDrain());
        Assert.Equal("", Take());
        Assert.True(Box.TryEndDrain());

        Box.EndReply();

        Assert.Equal(2, _wakes);
        Assert.True(Box.TryBeginDrain());
        Assert.Equal("a", Take());
    }

    // Another client has made it: the connection may wait for bytes, or be about to.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void OpenOutboxFromOutside_IsLentIfTheConnectionWaits(bool isWaiting)
    {
        Client.Client.IsWaiting = isWaiting;
        Client.Client.Owner = Wake;
        Client.Client.OpenOutboxFromOutside(Client.Server.ClientMemory);
        Assert.True(Box.IsUnmet);

        Box.TryPost("a"u8.ToArray());

        Assert.Equal(isWaiting ? 1 : 0, _wakes);
        Assert.Equal(isWaiting, Box.TryBeginDrain());
        var resumed = Box.TryResume();
        Assert.False(Box.IsUnmet);
        Assert.Equal(isWaiting, resumed is not null);
        Assert.Equal("a", Take());
        if (isWaiting)
            Box.TryEndDrain();
        Assert.Null(Box.TryResume());
        Box.Lend(Wake); // Too late.
        Assert.True(Box.TryRest(Wake));
    }

    private sealed class Woken(Action wake) : IClientConnection
    {
        public void WakeToWrite() => wake();

        public bool TryBeginLong() => throw new InvalidOperationException("No command runs.");

        public void EndLong() => throw new InvalidOperationException("No command runs.");
    }

    [Fact]
    public void TryBeginDrain_OfAConnectionThatWentOn_DoesNothing()
    {
        Box.TryRest(Wake);
        Box.TryPost("a"u8.ToArray());
        Assert.Null(Box.TryResume());

        Assert.False(Box.TryBeginDrain());
        Assert.Equal("a", Take());
    }

    [Fact]
    public void TryPost_BeyondTheBound_EndsTheClient()
    {
        byte[] message = new byte[1 << 20];
        int count = 0;
        while (Box.TryPost(message))
            count++;

        Assert.Equal(31, count);
        Assert.True(Client.IsAborted);
        Assert.InRange(Box.Bytes, 31 << 20, Outbox.BytesMax);
        Assert.Equal(1, Server.Limits[ConnectionLimit.OutputBuffer]);
        Assert.False(Box.TryPost("a"u8.ToArray()));
    }

    [Fact]
    public void TryPost_EmptyMessages_AreBoundedToo()
    {
        int count = 0;
        while (Box.TryPost(default))
            count++;
        Assert.Equal(Outbox.BytesMax / Outbox.MessageBytes, count);
    }

    [Fact]
    public void Close_WithMessages_GivesBackWhatTheyCount()
    {
        long before = Server.ClientMemory.Bytes;
        Box.TryPost(new byte[1000]);
        Assert.Equal(before + 1000 + Outbox.MessageBytes, Server.ClientMemory.Bytes);
        Assert.Equal(1000 + Outbox.MessageBytes, Client.Client.HeldBytes);

        Box.Close();

        Assert.Equal(before, Server.ClientMemory.Bytes);
        Assert.False(Box.TryPost("a"u8.ToArray()));
    }

    private string Take()
    {
        var text = new StringBuilder();
        while (Box.TryTake(out var message))
            text.Append(Encoding.ASCII.GetString(message.Span));
        return text.ToString();
    }

    private Woken Wake => new(() => _wakes++);
}
