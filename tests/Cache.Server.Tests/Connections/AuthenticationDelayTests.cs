using System.Net;
using Cache.Server.Security;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>Answers to those who guess passwords are held back; nobody else notices.</summary>
public sealed class AuthenticationDelayTests : ConnectionTestBase
{
    private const string Wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";

    private static readonly RespServerOptions _options = new() { RequirePass = "secret" };

    private static readonly IPAddress _elsewhere = IPAddress.Parse("192.0.2.7");

    [Fact]
    public async Task Auth_WrongManyTimes_IsAnsweredLaterAndLater()
    {
        await using var server = await StartAsync(_options);
        var client = server.Connect();
        for (int i = 0; i < 3; i++)
            Assert.Equal(Wrong, client.Exchange(Request("AUTH", "guess")));

        foreach (int delayMs in new[] { 100, 200, 400, 800, 1600, 3000, 3000 })
        {
            client.Send(Request("AUTH", "guess"));
            Clock.Advance(TimeSpan.FromMilliseconds(delayMs - 1));
            Assert.Empty(client.ReadAll());
            Clock.Advance(TimeSpan.FromMilliseconds(1));
            Assert.Equal(Wrong, await ReadAsync(client, Wrong.Length));
        }
    }

    [Fact]
    public async Task Auth_RightAfterManyFailures_WaitsLikeAWrongOne()
    {
        await using var server = await StartAsync(_options);
        var guesser = server.Connect();
        for (int i = 0; i < 3; i++)
            guesser.Exchange(Request("AUTH", "guess"));
        var sameAddress = server.Connect();

        sameAddress.Send(Request("AUTH", "secret") + Request("PING"));
        Assert.Empty(sameAddress.ReadAll());
        Clock.Advance(TimeSpan.FromMilliseconds(100));

        Assert.Equal("+OK\r\n+PONG\r\n", await ReadAsync(sameAddress, "+OK\r\n+PONG\r\n".Length));
    }

    [Fact]
    public async Task Auth_FromElsewhere_IsNotDelayed()
    {
        await using var server = await StartAsync(_options);
        var guesser = server.Connect(_elsewhere);
        for (int i = 0; i < 4; i++)
            guesser.Send(Request("AUTH", "guess"));
        var other = server.Connect();

        Assert.Equal("+OK\r\n", other.Exchange(Request("AUTH", "secret")));
        Assert.Contains("delayed_authentications:1\r\n", other.Exchange(Request("INFO", "stats")));
    }

    [Fact]
    public async Task Auth_AfterAMinuteOfPeace_IsNotDelayed()
    {
        await using var server = await StartAsync(_options);
        var guesser = server.Connect();
        for (int i = 0; i < 3; i++)
            guesser.Exchange(Request("AUTH", "guess"));
        guesser.Close();
        Clock.Advance(TimeSpan.FromSeconds(61));

        Assert.Equal("+OK\r\n", server.Connect().Exchange(Request("AUTH", "secret")));
    }

    [Fact]
    public async Task Stop_WhileAnAnswerIsHeldBack_DoesNotWaitForIt()
    {
        var server = await StartAsync(_options);
        var guesser = server.Connect();
        for (int i = 0; i < 4; i++)
            guesser.Send(Request("AUTH", "guess"));

        await server.Server.StopAsync(TestContext.Current.CancellationToken);

        Assert.Equal(0, server.Server.State.Clients.Count);
    }

    [Fact]
    public async Task Answer_HeldBackLongerThanTheTimesOfSilence_Comes()
    {
        var time = TimeSpan.FromSeconds(2);
        await using var server = await StartAsync(
            new RespServerOptions { Timeout = time, OutputStallTimeout = time });
        server.Server.State.Settings.Kept["enable-debug-command"] = "yes";
        var client = server.Connect();
        client.Send(Request("DEBUG", "SLEEP", "60") + Request("PING"));

        for (int seconds = 0; seconds < 60; seconds++)
        {
            Assert.Equal((0, false), (client.ReadAll().Length, client.IsClosed));
            Clock.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Equal("+OK\r\n+PONG\r\n", await ReadAsync(client, "+OK\r\n+PONG\r\n".Length));
    }

    [Fact]
    public void Throttle_OfManyAddresses_StaysBounded()
    {
        var throttle = new AuthenticationThrottle();
        var guesser = "192.0.2.1:1";
        for (int i = 0; i < 5000; i++)
            throttle.AddFailure($"10.0.{i / 256}.{i % 256}:1", i);
        for (int i = 0; i < 4; i++)
            throttle.AddFailure(guesser, 5000);

        Assert.InRange(throttle.AddressCount, 1, 1024);
        Assert.Equal(200, throttle.GetDelayMs(guesser, 5000));
        Assert.Equal(200, throttle.GetDelayMs("192.0.2.1:2", 5000));
    }

    [Theory]
    [InlineData("[2001:db8::1]:1", "[2001:db8::ffff]:2", true)]
    [InlineData("[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false)]
    [InlineData("[::ffff:192.0.2.1]:1", "192.0.2.1:2", true)]
    [InlineData("/tmp/a:0", "/tmp/a:0", true)]
    public void Throttle_Addresses_AreThoseOfANetwork(string one, string other, bool isSame)
    {
        var throttle = new AuthenticationThrottle();
        for (int i = 0; i < 3; i++)
            throttle.AddFailure(one, 0);

        Assert.Equal(isSame ? 100 : 0, throttle.GetDelayMs(other, 0));
    }

    private static async Task<string> ReadAsync(InMemoryClient client, int length) =>
        System.Text.Encoding.Latin1.GetString(
            await client.ReadAsync(length, TestContext.Current.CancellationToken));
}
