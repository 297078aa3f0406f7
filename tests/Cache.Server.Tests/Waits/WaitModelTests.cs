using System.Globalization;
using System.Text;
using Cache.Core;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Waits;

/// <summary>Random clients that wait for lists, push, move, end and are ended: each reply is the model's.</summary>
public sealed class WaitModelTests : ConnectionTestBase
{
    private const int Clients = 8;
    private const int Steps = 1500;

    private static readonly string[] _keys = ["a", "b", "c"];
    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    [Fact]
    public void Clients_ThatWaitAndPush_GetWhatRedisGivesThem() => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, Clock);
        RunAsync(new Random(seed), store).GetAwaiter().GetResult();
    });

    private async Task RunAsync(Random random, CacheStore store)
    {
        await using var server = await InMemoryServer.StartAsync(store, bounds: _shared);
        var run = new Run(random, store, server, Clock);
        for (int i = 0; i < Steps; i++)
            await run.StepAsync();
        await run.CheckAsync(_keys);
    }

    private sealed class Run(Random random, CacheStore store, InMemoryServer server, FakeTimeProvider clock)
    {
        private readonly WaitModel _model = new();
        private readonly InMemoryClient[] _clients = [.. Enumerable.Range(0, Clients).Select(_ => server.Connect())];
        private readonly long[] _ids = [.. Enumerable.Range(1, Clients).Select(static id => (long)id)];
        private readonly InMemoryClient _other = server.Connect();
        private long _nowMs;
        private long _lastId = Clients + 1;
        private int _elements;

        public async Task StepAsync()
        {
            int client = random.Next(Clients);
            bool isWaiting = _model.IsWaiting(client);
            int dice = random.Next(100);
            if (dice < 35 && !isWaiting)
                await WaitAsync(client);
            else if (dice < 85 && !isWaiting)
                await ChangeAsync(client);
            else if (dice < 90)
                await EndAsync(client, isWaiting);
            else if (dice < 94)
                await AdvanceAsync();
            else
                await PushInProcessAsync();
        }

        public async Task CheckAsync(string[] keys)
        {
            foreach (string key in keys)
            {
                var elements = _model.Elements(key);
                string expected = $"*{elements.Count}\r\n" + string.Concat(elements.Select(Bulk));
                Assert.Equal(expected, _other.Exchange(Request("LRANGE", key, "0", "-1")));
            }

            Settle("the last step"); // A client has its reply before its wait has left.
            foreach (var client in _clients)
                client.Close();
            using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
            end.CancelAfter(TimeSpan.FromSeconds(60));
            while (server.Server.State.Clients.Count > 1 || server.Server.State.Waits.Count > 0)
            {
                clock.Advance(TimeSpan.FromSeconds(1)); // The sweep sees that the peers of those that wait have gone.
                await Task.Delay(1, end.Token);
            }
        }

        private async Task WaitAsync(int client)
        {
            string timeout = random.Next(3) == 0 ? "0.5" : "0";
            long endsAtMs = timeout == "0" ? long.MaxValue : _nowMs + 500;
            bool fromLeft = random.Next(2) == 0;
            string? reply;
            string request;
            if (random.Next(3) > 0)
            {
                string[] keys = [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => Key())];
                request = Request([fromLeft ? "BLPOP" : "BRPOP", .. keys, timeout]);
                reply = _model.Pop(client, keys, fromLeft, endsAtMs);
            }
            else
            {
                var (from, to, toLeft) = (Key(), Key(), random.Next(2) == 0);
                request = Request("BLMOVE", from, to, End(fromLeft), End(toLeft), timeout);
                reply = _model.Move(client, from, to, fromLeft, toLeft, endsAtMs);
            }

            _clients[client].Send(request);
            await ReadAsync(client, reply ?? "", request);
            Settle($"client {client} after {request}");
            await ReadWokenAsync(request);
        }

        private void Settle(string what)
        {
            var waits = server.Server.State.Waits;
            bool isSettled = SpinWait.SpinUntil(
                () => waits.Count == _model.Waiting.Count() && waits.IsIdle, TimeSpan.FromSeconds(60));
            Assert.True(isSettled, isSettled ? null : Describe(what));
        }

        private async Task ChangeAsync(int client)
        {
            var request = new StringBuilder();
            var replies = new StringBuilder();
            for (int i = random.Next(1, 4); i > 0; i--)
                AddChange(request, replies);
            _clients[client].Send(request.ToString());
            await ReadAsync(client, replies.ToString(), request.ToString());
            await ReadWokenAsync(request.ToString());
        }

        private void AddChange(StringBuilder request, StringBuilder replies)
        {
            string key = Key();
            bool toLeft = random.Next(2) == 0;
            switch (random.Next(10))
            {
                case 0:
                    request.Append(Request("LPOP", key));
                    replies.Append(_model.Pop(key));
                    break;
                case 1:
                    request.Append(Request("DEL", key));
                    replies.Append(_model.Delete(key));
                    break;
                case 2:
                    string other = Key();
                    request.Append(Request("RENAME", key, other));
                    replies.Append(_model.Rename(key, other));
                    break;
                default:
                    string[] elements = [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => NextElement())];
                    request.Append(Request([toLeft ? "LPUSH" : "RPUSH", key, .. elements]));
                    replies.Append(_model.Push(key, elements, toLeft));
                    break;
            }
        }

        private async Task EndAsync(int client, bool isWaiting)
        {
            string id = _ids[client].ToString(CultureInfo.InvariantCulture);
            if (random.Next(2) == 0)
            {
                string reply = _other.Exchange(Request("CLIENT", "UNBLOCK", id));
                Assert.Equal(isWaiting ? ":1\r\n" : ":0\r\n", reply);
                _model.End(client);
                if (isWaiting)
                    await ReadAsync(client, WaitModel.NullArray, "UNBLOCK");
                return;
            }

            Assert.Equal(":1\r\n", _other.Exchange(Request("CLIENT", "KILL", "ID", id)));
            _model.End(client);
            Renew(client);
        }

        private async Task AdvanceAsync()
        {
            int more = random.Next(400);
            _nowMs += more;
            clock.Advance(TimeSpan.FromMilliseconds(more));
            foreach (int client in _model.Expire(_nowMs))
                await ReadAsync(client, WaitModel.NullArray, "its time");
        }

        private async Task PushInProcessAsync()
        {
            string key = Key();
            string element = NextElement();
            _model.Push(key, [element], toLeft: true);
            store.List(Encoding.ASCII.GetBytes(key)).Push(ListEnd.Left, Encoding.ASCII.GetBytes(element));
            await ReadWokenAsync("a push in process");
            Assert.True(SpinWait.SpinUntil(() => server.Server.State.Waits.IsIdle, TimeSpan.FromSeconds(60)));
        }

        private async Task ReadWokenAsync(string request)
        {
            foreach (var (client, reply) in _model.Woken)
                await ReadAsync(client, reply, request);
            _model.Woken.Clear();
        }

        private void Renew(int client)
        {
            _clients[client] = server.Connect();
            _ids[client] = ++_lastId;
        }

        private async Task ReadAsync(int client, string reply, string request)
        {
            using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
            end.CancelAfter(TimeSpan.FromSeconds(60));
            string read = reply.Length == 0 ? ""
                : Encoding.Latin1.GetString(await _clients[client].ReadAsync(reply.Length, end.Token));

            // Not within the server's flush, on its thread: it must go on.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            Assert.True(read == reply, $"client {client + 1} after {request}: {read} instead of {reply}");
        }

        // Takes what the clients have not read.
        private string Describe(string what)
        {
            var unread = _clients.Select(static one => Encoding.Latin1.GetString(one.ReadAll()));
            return $"{what}: {server.Server.State.Waits.Count} wait, not {string.Join(',', _model.Waiting)}; unread: "
                + string.Join('|', unread);
        }

        private string NextElement() => (++_elements).ToString(CultureInfo.InvariantCulture);

        private string Key() => _keys[random.Next(_keys.Length)];

        private static string End(bool isLeft) => isLeft ? "LEFT" : "RIGHT";
    }
}
