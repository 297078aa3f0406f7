using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Cache.Server.Clients;
using Cache.Server.Package;
using Cache.Server.Statistics;
using Cache.Server.Tests.Clients;
using Cache.Server.Tests.Commands;
using Cache.Testing;

namespace Cache.Server.Tests.Package;

public sealed class PackageCommandTests : CommandTestBase
{
    [Fact]
    public void Package_Reply_IsAZipWhoseManifestHasTheHashOfEachPart()
    {
        var files = PackageFiles.Of(Reply("CACHE", "PACKAGE"));
        using var manifest = JsonDocument.Parse(files["manifest.json"]);
        var root = manifest.RootElement;
        Assert.Equal("cache-package", root.GetProperty("format").GetString());
        Assert.Equal(1, root.GetProperty("version").GetInt32());
        Assert.Equal("hash", root.GetProperty("keys").GetString());
        var parts = root.GetProperty("parts").EnumerateArray().ToDictionary(
            static part => part.GetProperty("name").GetString()!,
            static part => part.GetProperty("sha256").GetString());
        Assert.Equal(files.Keys.Except(["manifest.json"]).Order(), parts.Keys.Order());
        foreach (var (name, hash) in parts)
            Assert.Equal(hash, Convert.ToHexStringLower(SHA256.HashData(Encoding.Latin1.GetBytes(files[name]))));
        Assert.Contains("redis_version:7.0.15", files["info.txt"]);
        Assert.Contains("# Commandstats", files["info.txt"]);
        foreach (string name in files.Keys.Where(static name => name.EndsWith(".json", StringComparison.Ordinal)))
            JsonDocument.Parse(files[name]).Dispose();
    }

    [Theory]
    [InlineData("HASH", "\"key\":\"#")]
    [InlineData("prefix", "\"key\":\"\\u0022user:17:\\u0022#")]
    [InlineData("PLAIN", "\"key\":\"\\u0022user:17:session:4\\u0022\"")]
    public void Package_Keys_AreShownAsAskedFor(string exposure, string shown)
    {
        Client.Run("SET user:17:session:4 value");
        Assert.Contains(shown, PackageFiles.Of(Reply("CACHE", "PACKAGE", "KEYS", exposure))["keys.json"]);
    }

    [Theory]
    [InlineData("HASH", "\"prefix\":\"#")]
    [InlineData("PREFIX", "\"prefix\":\"\\u0022user:17:\\u0022\"")]
    public void Package_Prefixes_AreShownAsAskedFor(string exposure, string shown)
    {
        Client.Run("SET user:17:session:4 value");
        Assert.Contains(shown, PackageFiles.Of(Reply("CACHE", "PACKAGE", "KEYS", exposure))["prefixes.json"]);
    }

    [Theory]
    [InlineData("CACHE PACKAGE KEYS")]
    [InlineData("CACHE PACKAGE KEYS all")]
    [InlineData("CACHE PACKAGE all hash")]
    [InlineData("CACHE PACKAGE KEYS hash x")]
    public void Package_WrongWords_AreRefused(string line) => Assert.Equal("-ERR syntax error\r\n", Client.Run(line));

    [Fact]
    public async Task Package_WhileAnotherIsMade_IsRefused()
    {
        using var taken = new ManualResetEventSlim();
        using var done = new ManualResetEventSlim();
        var holder = Task.Factory.StartNew(
            () =>
            {
                lock (Server.PackageGate)
                {
                    taken.Set();
                    done.Wait();
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        taken.Wait(TestContext.Current.CancellationToken);
        Assert.Equal("-ERR another package is being made, try again in a moment\r\n", Client.Run("CACHE PACKAGE"));
        done.Set();
        await holder;
        Assert.StartsWith("$", Client.Run("CACHE PACKAGE"));
    }

    // A thread that hangs with an entry: a package is wanted then most.
    [Fact]
    public async Task Package_WhileAHotEntryIsHeld_LacksItsLengthAlone()
    {
        Client.Run("SET hot value");
        using var held = new ManualResetEventSlim();
        using var done = new ManualResetEventSlim();
        var holder = Task.Factory.StartNew(
            () => KeyedTransaction.Run(Server.Store, ["hot"u8.ToArray()], 1, 1, _ =>
            {
                held.Set();
                done.Wait();
            }),
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        held.Wait(TestContext.Current.CancellationToken);

        var files = PackageFiles.Of(Reply("CACHE", "PACKAGE", "KEYS", "PLAIN"));

        Assert.Contains("hot", files["keys.json"], StringComparison.Ordinal);
        Assert.Contains("\"length\":-1", files["keys.json"], StringComparison.Ordinal);
        done.Set();
        await holder;
        Assert.True(SpinWait.SpinUntil(
            () => PackageFiles.Of(Reply("CACHE", "PACKAGE"))["keys.json"].Contains(
                "\"length\":5", StringComparison.Ordinal),
            TimeSpan.FromMinutes(1)));
    }

    [Fact]
    public void Package_OfASharedThread_IsMadeElsewhere()
    {
        Client.Context.SharesThread = true;
        Assert.Equal("", Client.Run("CACHE PACKAGE"));
        Assert.True(Client.Context.GaveWay);
    }

    [Fact]
    public void Package_SameKey_HasTheSameHashInOnePackageAndAnotherInTheNext()
    {
        Client.Run("CONFIG SET slowlog-log-slower-than 0");
        Client.Run("SET k v");
        string first = HashIn(PackageFiles.Of(Reply("CACHE", "PACKAGE")));
        string second = HashIn(PackageFiles.Of(Reply("CACHE", "PACKAGE")));
        Assert.NotEqual(first, second);

        static string HashIn(Dictionary<string, string> files)
        {
            using var keys = JsonDocument.Parse(files["keys.json"]);
            string hash = keys.RootElement[0].GetProperty("key").GetString()!;
            Assert.Contains($"\"{hash}\"", files["slowlog.json"]);
            return hash;
        }
    }

    [Fact]
    public void Package_Configuration_HasValuesAndOrigins()
    {
        Client.Run("CONFIG SET timeout 17");
        Client.Run("CONFIG SET masterauth hidden");
        using var config = JsonDocument.Parse(PackageFiles.Of(Reply("CACHE", "PACKAGE"))["config.json"]);
        var all = config.RootElement.EnumerateArray().ToDictionary(static one => one.GetProperty("name").GetString()!);
        Assert.Equal(("17", "CONFIG SET"), ValueOf("timeout"));
        Assert.Equal(("(set, not shown)", "CONFIG SET"), ValueOf("masterauth"));
        Assert.Equal(("300", "default"), ValueOf("tcp-keepalive"));
        Assert.Equal(("127.0.0.1", "default"), ValueOf("bind"));
        Assert.Equal(("", "default"), ValueOf("requirepass"));

        (string?, string?) ValueOf(string name) =>
            (all[name].GetProperty("value").GetString(), all[name].GetProperty("origin").GetString());
    }

    [Theory]
    [InlineData("No space left on device : '/srv/private/journal'", "No space left on device, IOException")]
    [InlineData("Something about /srv/private", "another reason, IOException")]
    public void Names_OfAProblem_HaveNoPath(string message, string shown) =>
        Assert.Equal(shown, new PackageNames(KeyExposure.Plain).OfProblem(new IOException(message)));

    [Fact]
    public void Names_OfClientsAndListeners_AreNumbersUnlessEveryMachineHasThem()
    {
        var names = new PackageNames(KeyExposure.Plain);
        Assert.Equal("host-1", names.OfAddress("10.1.2.3:50000"));
        Assert.Equal("host-2", names.OfAddress("[fe80::1]:50000"));
        Assert.Equal("host-1", names.OfAddress("10.1.2.3:50001"));
        Assert.Equal("host-1", names.OfListenAddress("10.1.2.3"));
        Assert.Equal("::*", names.OfListenAddress("::*"));
        Assert.Equal("default", names.OfUser("default"));
        Assert.Equal("user-1", names.OfUser("joe"));
        Assert.Equal("redis-py", names.OfLibrary("redis-py"u8));
        Assert.Equal("library-1", names.OfLibrary("secret"u8));
        Assert.Equal("", names.OfClient([]));
    }

    // All that is bounded, at its bound.
    [Fact]
    public void Write_AFullServer_IsBelowTheBound()
    {
        double[] values = new double[HistorySeries.All.Count];
        var random = new Random(1);
        for (int i = 0; i < MetricHistory.CoarseCount * MetricHistory.CoarseSeconds; i += 5)
        {
            for (int j = 0; j < values.Length; j++)
                values[j] = random.NextDouble() * 1e9;
            Server.History.Add(i, values);
        }

        for (int i = 0; i < EventLog.EventsMax; i++)
            Server.NoteEvent(EventKinds.Limit, new string('x', EventLog.TextLengthMax), $"10.0.{i / 256}.{i % 256}:1");
        byte[][] arguments = [.. Enumerable.Range(0, 32).Select(_ => new byte[128])];
        arguments[0] = Encoding.ASCII.GetBytes("MGET");
        foreach (var log in (SlowLog[])[Server.SlowLog, Server.LargeReplies, Server.LargeRequests])
        {
            for (int i = 0; i < 2000; i++)
                log.Add(new SlowRequest(i, i, arguments, "10.0.0.1:1", new byte[64]), SlowLog.LengthMax);
        }

        for (int i = 0; i < 9000; i++)
        {
            var endPoints = new ClientEndPoints($"10.0.{i / 256}.{i % 256}:1", "127.0.0.1:1");
            Server.Clients.TryAdd(endPoints, static () => { })!.Name = new byte[64];
        }

        byte[] package = PackageWriter.Write(Server, KeyExposure.Plain);
        long bytes = PackageFiles.Of(package).Values.Sum(static text => (long)text.Length);
        Assert.InRange(bytes, PackageFormat.BytesMax / 4, PackageFormat.BytesMax);
    }

    private byte[] Reply(params string[] words)
    {
        byte[] reply = Client.CallBytes(words);
        Assert.True(reply[0] == (byte)'$', Encoding.Latin1.GetString(reply.AsSpan(0, Math.Min(200, reply.Length))));
        int start = Array.IndexOf(reply, (byte)'\n') + 1;
        return reply[start..^2];
    }
}
