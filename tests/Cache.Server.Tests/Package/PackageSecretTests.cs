using System.Text;
using Cache.Server.Clients;
using Cache.Server.Doctor;
using Cache.Server.Package;
using Cache.Server.Statistics;
using Cache.Server.Tests.Clients;
using Cache.Server.Tests.Commands;
using Cache.Testing;

namespace Cache.Server.Tests.Package;

/// <summary>
/// A hundred secrets, wherever a client, an operator or the environment may have one: none is in a package.
/// </summary>
public sealed class PackageSecretTests : CommandTestBase
{
    private const int LengthMin = 10;
    private const string Letters = "abcdefghijkmnpqrstuvwxyz23456789";

    // Texts of a hundred kinds of parameters that CONFIG SET takes.
    private static readonly string[] _parameters =
    [
        "requirepass", "masterauth", "masteruser", "tls-client-key-file-pass", "tls-client-cert-file",
        "tls-client-key-file", "bind-source-addr", "replica-announce-ip", "cluster-announce-ip",
        "cluster-announce-hostname", "ignore-warnings", "proc-title-template", "tls-dh-params-file",
    ];

    private static readonly string[] _variables = ["CACHE_TEST_TOKEN", "DOTNET_gcServer", "AWS_SECRET_ACCESS_KEY"];

    private readonly List<string> _secrets = [];
    private readonly List<string> _keys = [];
    private Random _random = new(1);

    [Fact]
    public void Write_HashedKeys_HasNoneOfAHundredSecrets() => RandomSeed.Run(this, seed =>
    {
        Plant(_random = new Random(seed));
        Assert.True(_secrets.Count >= 100, $"{_secrets.Count} secrets");

        byte[] package = WriteWithVariables();
        var files = PackageFiles.Of(package);
        Assert.Contains("\"command\":\"echo\"", files["slowlog.json"]);
        Assert.Contains("CONFIG SET requirepass (set, not shown)", files["events.json"]);
        Assert.Contains("\"length\":16", files["keys.json"]);
        string all = string.Concat(files.Values) + string.Concat(files.Keys) + Encoding.Latin1.GetString(package);
        string[] found = [.. _secrets.Where(
            secret => FormsOf(secret).Any(form => all.Contains(form, StringComparison.OrdinalIgnoreCase)))];
        Assert.True(found.Length == 0, $"{found.Length} of {_secrets.Count} secrets: {string.Join(' ', found)}");
    });

    [Fact]
    public void Write_PlainKeys_HasTheKeysAlone() => RandomSeed.Run(this, seed =>
    {
        Plant(_random = new Random(seed));
        string all = string.Concat(PackageFiles.Of(PackageWriter.Write(Server, KeyExposure.Plain)).Values);
        Assert.Equal(
            _keys.Order(),
            _secrets.Where(secret => all.Contains(secret, StringComparison.OrdinalIgnoreCase)).Order());
    });

    // Another text among the figures would have to be named by FigureNames as these are.
    [Fact]
    public void Figures_Texts_AreThoseThatArePackedUnderOtherNames() => Assert.Equal(
        ["FilesProblem", "HeaviestKey", "HotKey", "SlowClient", "SlowCommand", "SlowestReader"],
        typeof(DoctorFigures).GetProperties().Where(static one => one.PropertyType == typeof(string))
            .Select(static one => one.Name).Order());

    private void Plant(Random random)
    {
        Client.Run("CONFIG SET slowlog-log-slower-than 0");
        Client.Run("CONFIG SET commandlog-request-larger-than 0");
        Client.Run("CONFIG SET commandlog-reply-larger-than 0");
        for (int i = 0; i < 16; i++)
        {
            string key = Key();
            Client.Call("SET", key, Secret());
            Client.Call("GET", key);
        }

        var subscriber = Connect();
        for (int i = 0; i < 8; i++)
        {
            Client.Call("ECHO", Secret());
            subscriber.Call("SUBSCRIBE", Secret());
            Client.Call("PUBLISH", Secret(), Secret());
            Client.Call(Secret(), Secret());
            Client.Call("CONFIG", Secret(), "x");
        }

        foreach (string parameter in _parameters)
        {
            string secret = Secret();
            string reply = Client.Call("CONFIG", "SET", parameter, secret);
            Assert.True(reply == "+OK\r\n", $"{parameter}: {reply}");
        }

        PlantUsers();
        PlantClients();
        PlantEvents();

        string Key()
        {
            string key = Secret();
            _keys.Add(key);
            return key;
        }

        string Secret() => Next(random);
    }

    private byte[] WriteWithVariables()
    {
        try
        {
            foreach (string name in _variables)
                Environment.SetEnvironmentVariable(name, Next(_random));
            return PackageWriter.Write(Server, KeyExposure.Hash);
        }
        finally
        {
            foreach (string name in _variables)
                Environment.SetEnvironmentVariable(name, null);
        }
    }

    private void PlantUsers()
    {
        for (int i = 0; i < 4; i++)
        {
            string user = Next(_random);
            string password = Next(_random);
            Client.Call(
                "ACL", "SETUSER", user, "on", ">" + password, "~" + Next(_random), "&" + Next(_random),
                "+@all");
            var other = Connect();
            other.Call("AUTH", user, Next(_random));
            Assert.Equal("+OK\r\n", other.Call("AUTH", user, password));
            other.Call("CLIENT", "SETNAME", Next(_random));
            other.Call("CLIENT", "SETINFO", "LIB-NAME", Next(_random));
            other.Call("CLIENT", "SETINFO", "LIB-VER", Next(_random));
            other.Call("ECHO", Next(_random));
        }
    }

    private void PlantClients()
    {
        var reader = Server.Clients.TryAdd(new ClientEndPoints($"/{Next(_random)}:0", "127.0.0.1:1"), () => { })!;
        reader.Name = Encoding.ASCII.GetBytes(Next(_random));
        reader.PendingOutputBytes = 10 << 20;
    }

    private void PlantEvents()
    {
        Server.NoteEvent(EventKinds.Limit, "was silent", $"/{Next(_random)}:0");
        Server.NoteEvent("unsafe", Next(_random), Next(_random));
        Server.NoteEvent(EventKinds.Configuration, Next(_random));
        Server.NoteEvent(EventKinds.Configuration, "CONFIG SET " + Next(_random) + " x");
    }

    private string Next(Random random)
    {
        string secret = new([.. Enumerable.Range(0, LengthMin + 6).Select(_ => Letters[random.Next(Letters.Length)])]);
        _secrets.Add(secret);
        return secret;
    }

    // As it is, in hexadecimal, and in base64 wherever in a longer text it may begin.
    private static IEnumerable<string> FormsOf(string secret)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(secret);
        yield return secret;
        yield return Convert.ToHexString(bytes);
        for (int shift = 0; shift < 3; shift++)
        {
            string text = Convert.ToBase64String([.. new byte[shift], .. bytes]);
            yield return text[(shift == 0 ? 0 : shift + 1)..(text.Length - 4)];
        }
    }
}
