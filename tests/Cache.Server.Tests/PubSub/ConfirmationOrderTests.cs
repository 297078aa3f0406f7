using Cache.Core;
using Cache.Server.Tests.Commands;
using Cache.Server.Tracking;
using Cache.Testing;

namespace Cache.Server.Tests.PubSub;

/// <summary>Confirmations beside messages that come at the same time.</summary>
public sealed class ConfirmationOrderTests : IDisposable
{
    private const int Rounds = 20_000;
    private const int UnsentMax = 100;

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 8 << 20 }, new FakeTimeProvider());

    public void Dispose() => _store.Dispose();

    // Clients take what comes after SUBSCRIBE as its confirmation.
    [Theory]
    [InlineData("subscribe", "a")]
    [InlineData("psubscribe", "a*")]
    [InlineData("ssubscribe", "a")]
    public async Task Subscribe_WhileMessagesCome_IsConfirmedBeforeThem(string word, string name)
    {
        var client = new CommandClient(_store);
        var table = client.Server.Channels;
        using var end = new CancellationTokenSource();
        var publishing = Task.Factory.StartNew(
            () =>
            {
                while (!end.IsCancellationRequested)
                {
                    if (client.Client.Outbox is { Count: > UnsentMax })
                        continue;
                    table.Publish("a"u8, "m"u8, default);
                    table.PublishToShard("a"u8, "m"u8, default);
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        try
        {
            for (int i = 0; i < Rounds; i++)
            {
                Assert.StartsWith(Confirmation(word, name, 1), client.Call(word, name), StringComparison.Ordinal);
                string ended = client.Call(Ending(word), name);
                Assert.EndsWith(Confirmation(Ending(word), name, 0), ended, StringComparison.Ordinal);
            }
        }
        finally
        {
            await end.CancelAsync();
            await publishing;
        }
    }

    // A client of RESP2 without subscriptions takes what comes for the reply to its next request.
    [Theory]
    [InlineData("SUBSCRIBE a", "UNSUBSCRIBE a", ":0\r\n")]
    [InlineData("HELLO 3", "HELLO 2", "modules\r\n*0\r\n")]
    public async Task End_OfWhatMayBeTold_IsBehindTheLastMessageOfAnotherClient(string begin, string end, string last)
    {
        var target = new CommandClient(_store);
        var client = new CommandClient(target.Server);
        Assert.Equal("+OK\r\n", client.Run($"CLIENT TRACKING ON REDIRECT {target.Client.Id}"));
        var sender = new InvalidationSender(target.Server.Clients);
        var frames = InvalidationFrames.Of("key"u8.ToArray());
        using var over = new CancellationTokenSource();
        var sending = Task.Factory.StartNew(
            () =>
            {
                while (!over.IsCancellationRequested)
                {
                    if (target.Client.Outbox!.Count <= UnsentMax)
                        sender.Send(client.Client, client.Client.Tracking!, frames);
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        try
        {
            for (int i = 0; i < Rounds; i++)
            {
                target.Run(begin);
                Assert.EndsWith(last, target.Run(end), StringComparison.Ordinal);
                Assert.Equal("+PONG\r\n", target.Run("PING"));
            }
        }
        finally
        {
            await over.CancelAsync();
            await sending;
        }
    }

    private static string Ending(string word) => word.Replace("subscribe", "unsubscribe", StringComparison.Ordinal);

    private static string Confirmation(string word, string name, int count) =>
        $"*3\r\n${word.Length}\r\n{word}\r\n${name.Length}\r\n{name}\r\n:{count}\r\n";
}
