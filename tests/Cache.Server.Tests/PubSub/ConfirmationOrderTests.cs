using Cache.Core;
using Cache.Server.Tests.Commands;
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

    private static string Ending(string word) => word.Replace("subscribe", "unsubscribe", StringComparison.Ordinal);

    private static string Confirmation(string word, string name, int count) =>
        $"*3\r\n${word.Length}\r\n{word}\r\n${name.Length}\r\n{name}\r\n:{count}\r\n";
}
