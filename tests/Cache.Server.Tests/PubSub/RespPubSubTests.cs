using System.Text;
using Cache.Server.PubSub;
using Cache.Server.Tests.Connections;

namespace Cache.Server.Tests.PubSub;

/// <summary>Channels in the process, beside the clients'.</summary>
public sealed class RespPubSubTests : ConnectionTestBase
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Publish_InProcess_ReachesClientsAndTheProcess()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Exchange(Request("SUBSCRIBE", "news"));
        using var subscription = server.Server.PubSub.Subscribe("news", "more");
        using var byPattern = server.Server.PubSub.SubscribeToPatterns("n*");

        Assert.Equal(3, server.Server.PubSub.Publish("news", "ü"));
        Assert.Equal(1, server.Server.PubSub.Publish("more"u8, "\0"u8));
        Assert.Equal(":3\r\n", server.Connect().Exchange(Request("PUBLISH", "news", "x")));

        Assert.True(subscription.TryRead(out var message));
        Assert.True(message.Pattern.IsEmpty);
        Assert.Equal(("news", "ü"), (message.ChannelText, message.PayloadText));
        Assert.True(subscription.TryRead(out message));
        Assert.Equal(("more", "\0"), (message.ChannelText, message.PayloadText));
        Assert.True(byPattern.TryRead(out message));
        Assert.Equal(("n*", "news"), (Encoding.UTF8.GetString(message.Pattern.Span), message.ChannelText));
    }

    [Fact]
    public async Task Subscribe_ThatIsNotRead_DropsAndCounts()
    {
        await using var server = await StartAsync();
        var pubSub = server.Server.PubSub;
        using var few = pubSub.Subscribe(2, "a");
        using var large = pubSub.Subscribe(1000, "b");
        byte[] payload = new byte[1 << 20];
        for (int i = 0; i < 5; i++)
            pubSub.Publish("a", $"{i}");
        for (int i = 0; i < 40; i++)
            pubSub.Publish("b"u8, payload);

        Assert.Equal((2, 3), (few.WaitingCount, few.DroppedCount));
        Assert.True(few.TryRead(out var first));
        Assert.Equal("0", first.PayloadText);
        Assert.InRange(large.WaitingCount, 30, (int)(LocalQueue.BytesMax >> 20));
        Assert.Equal(40, large.WaitingCount + large.DroppedCount);
        Assert.Throws<ArgumentOutOfRangeException>(() => pubSub.Subscribe(0, "a"));
    }

    [Fact]
    public async Task Enumerate_EndsWhenItIsDisposed()
    {
        await using var server = await StartAsync();
        var subscription = server.Server.PubSub.Subscribe("a");
        var texts = new List<string>();
        var reading = Task.Run(async () =>
        {
            await foreach (var message in subscription)
                texts.Add(message.PayloadText);
        }, Token);
        server.Server.PubSub.Publish("a", "1");
        server.Server.PubSub.Publish("a", "2");
        subscription.Dispose();
        await reading.WaitAsync(TimeSpan.FromSeconds(30), Token);

        Assert.Equal(["1", "2"], texts);
        Assert.Equal(0, server.Server.PubSub.Publish("a", "3"));
        Assert.Equal(0, server.Server.State.Channels.CountOf(ChannelKind.Channel));
    }
}
