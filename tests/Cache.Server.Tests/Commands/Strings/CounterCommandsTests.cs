using System.Globalization;
using System.Text;

namespace Cache.Server.Tests.Commands.Strings;

/// <summary>Counters under several clients at once.</summary>
public sealed class CounterCommandsTests : CommandTestBase
{
    [Theory]
    [InlineData("INCRBYFLOAT counter 0.25", 0.25)]
    [InlineData("INCR counter", 1)]
    public async Task Execute_SeveralClients_LoseNoIncrement(string command, double increment)
    {
        const int Clients = 4;
        const int Increments = 500;
        var clients = new Task[Clients];
        for (int i = 0; i < Clients; i++)
        {
            var client = Connect();
            clients[i] = Task.Run(() => Repeat(client, command, Increments), TestContext.Current.CancellationToken);
        }

        await Task.WhenAll(clients);

        string expected = (Clients * Increments * increment).ToString(CultureInfo.InvariantCulture);
        Assert.Equal($"${expected.Length}\r\n{expected}\r\n", Client.Run("GET counter"));
    }

    private static void Repeat(CommandClient client, string command, int times)
    {
        for (int i = 0; i < times; i++)
            client.Run(command);
    }

    // Any write of the bucket makes an attempt fail, and a sum of many digits takes longer than the time between two.
    [Fact]
    public async Task IncrByFloat_OfManyDigitsWhileTheKeyIsWritten_Ends()
    {
        byte[] digits = Encoding.ASCII.GetBytes(new string('9', 4000));
        Server.Store.Set("n"u8, digits);
        using var isOver = new CancellationTokenSource();
        var writes = Task.Run(() =>
        {
            while (!isOver.IsCancellationRequested)
                Server.Store.Set("n"u8, digits);
        }, TestContext.Current.CancellationToken);
        var call = Task.Run(() => Client.Run("INCRBYFLOAT n 1"), TestContext.Current.CancellationToken);
        try
        {
            string reply = await call.WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
            Assert.StartsWith("$400", reply, StringComparison.Ordinal);
        }
        finally
        {
            await isOver.CancelAsync();
            await writes;
            await call;
        }
    }
}
