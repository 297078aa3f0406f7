using System.Text;
using Cache.Server.Clients;
using Cache.Server.Tests.Clients;
using Cache.Server.Tests.Commands;
using Cache.Server.Tracking;

namespace Cache.Server.Tests.Tracking;

public sealed class PrefixTableTests : IDisposable
{
    private readonly TestServer _server = new();
    private readonly PrefixTable _table = new();

    public void Dispose() => _server.Dispose();

    [Fact]
    public void Note_OfAKey_IsToldToEachOfItsPrefixes()
    {
        var (one, other) = (Connect(), Connect());
        Add(one, "", "user:");
        Add(other, "user:", "user:1:", "x");

        Note("user:1:b", 7);
        Note("user:2", 0);
        Note("user:1:a", 0);
        Note("user:1:b", 8);
        Note("y", 0);

        Assert.Equal(
            [
                "'' user:1:a/0 user:1:b/8 user:2/0 y/0",
                "'user:' user:1:a/0 user:1:b/8 user:2/0",
                "'user:1:' user:1:a/0 user:1:b/8",
            ],
            Sent());
        Assert.False(_table.HasAny);
        Assert.Empty(Sent());
    }

    [Fact]
    public void Remove_OfTheLastClient_RemovesThePrefix()
    {
        var (one, other) = (Connect(), Connect());
        Add(one, "a", "b");
        Add(other, "a");
        Assert.Equal(2, _table.Count);

        Remove(one, "a", "b");
        Note("ax", 0);
        Note("bx", 0);
        Assert.Equal(1, _table.Count);
        Assert.Equal(["'a' ax/0"], Sent());

        Remove(other, "a");
        Note("ax", 0);
        Assert.Equal(0, _table.Count);
        Assert.Empty(Sent());
    }

    // Who asks holds another lock than who removes: the client that was there a moment ago may have gone.
    [Fact]
    public async Task FindAnyClient_WhileTheLastOneGoes_IsThatOrNone()
    {
        var client = Connect();
        var changes = Task.Run(() =>
        {
            for (int i = 0; i < 50_000; i++)
            {
                Add(client, "a");
                Note("ax", 0);
                Remove(client, "a");
                _table.Send(static (_, _) => { });
            }
        }, TestContext.Current.CancellationToken);

        while (!changes.IsCompleted)
            Assert.True(_table.FindAnyClient() is var found && (found is null || found == client));
        await changes;
    }

    [Fact]
    public void Note_OfTooMuch_IsToldAsAll()
    {
        Add(Connect(), "");
        byte[] key = new byte[1 << 20];
        for (int i = 0; i <= ChangedKeys.BytesMax / key.Length; i++)
        {
            key[0] = (byte)i;
            _table.Note(key, 0);
        }

        bool isAll = false;
        _table.Send((_, keys) => isAll = keys.IsOverflown && !keys.IsEmpty && keys.Count == 0);
        Assert.True(isAll);

        Note("a", 0);
        Assert.Equal(["'' a/0"], Sent());
    }

    private ClientSession Connect() =>
        _server.State.Clients.TryAdd(new ClientEndPoints("a", "b"), static () => { })!;

    private void Add(ClientSession client, params string[] prefixes)
    {
        foreach (string prefix in prefixes)
            _table.Add(client, Encoding.ASCII.GetBytes(prefix));
    }

    private void Remove(ClientSession client, params string[] prefixes) =>
        _table.Remove(client, [.. prefixes.Select(Encoding.ASCII.GetBytes)]);

    private void Note(string key, long writer) => _table.Note(Encoding.ASCII.GetBytes(key), writer);

    private List<string> Sent()
    {
        var sent = new List<string>();
        _table.Send((prefix, keys) =>
        {
            var text = new StringBuilder().Append('\'').Append(Encoding.ASCII.GetString(prefix.Prefix)).Append('\'');
            for (int i = 0; i < keys.Count; i++)
                text.Append(' ').Append(Encoding.ASCII.GetString(keys[i])).Append('/').Append(keys.WriterOf(i));
            sent.Add(text.ToString());
        });
        return sent;
    }
}
