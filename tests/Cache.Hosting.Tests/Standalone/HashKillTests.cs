using System.Globalization;
using System.Net;
using Cache.Testing;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>
/// The server is killed while clients write hashes in pipelines, under <c>always</c>: each hash is what it was behind
/// all that was acknowledged, and a first part of what was not.
/// </summary>
/// <remarks>
/// Hashes of few bytes, of a tree, and of values in blocks; fields of 10 bytes to 100 KB; those that grow beyond 4 KB,
/// go, and begin again; with an expiry now and then, whose hour the test does not see.
/// </remarks>
public sealed class HashKillTests : IDisposable
{
    // More rounds for a long run.
    private const string RoundsVariable = "CACHE_KILL_ROUNDS";
    private const int RoundsDefault = 2;
    private const int RoundsPerFolder = 20;
    private const int Clients = 3;
    private const int PipelineMax = 12;
    private const int PipelinesMax = 40;
    private const int Fields = 40;

    private static readonly string[] _names = ["small", "growing", "large", "long"];
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly TemporaryFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public Task Killed_WhileHashesAreWritten_HasAllThatWasAcknowledged() => RandomSeed.RunAsync(this, async seed =>
    {
        if (OperatingSystem.IsWindows())
            return;
        int rounds = int.Parse(
            Environment.GetEnvironmentVariable(RoundsVariable) ?? $"{RoundsDefault}", CultureInfo.InvariantCulture);
        for (int round = 0; round < rounds; round += RoundsPerFolder)
            await RunInFolderAsync(seed + round, $"hashes-{round}", Math.Min(RoundsPerFolder, rounds - round));
    });

    private async Task RunInFolderAsync(int seed, string folder, int rounds)
    {
        string directory = _files.PathOf(folder);
        Directory.CreateDirectory(directory);
        Writer[] writers =
            [.. Enumerable.Range(0, Clients).Select(client => new Writer(client, new Random(seed + client)))];
        var random = new Random(~seed);
        for (int round = 0; round <= rounds; round++)
        {
            string port = FreePort.Find();
            await using var server = StandaloneProcess.Start(
                _files.PathOf(""), "--port", port, "--appendonly", "yes", "--appendfsync", "always",
                "--dir", directory);
            await server.WaitForAsync("Loaded ");
            var endPoint = new IPEndPoint(IPAddress.Loopback, int.Parse(port, CultureInfo.InvariantCulture));
            await (await server.ConnectAsync()).DisposeAsync();
            foreach (var writer in writers)
                writer.Check(endPoint, round);
            if (round == rounds)
            {
                await server.SignalAsync("TERM"); // Removes its shared memory.
                Assert.Equal(0, await server.WaitForExitAsync());
                break;
            }

            int kill = random.Next(1, PipelinesMax);
            var writing = writers.Select(writer => Task.Run(() => writer.Write(endPoint))).ToArray();
            while (writers.Min(static writer => writer.Acknowledged) < kill)
            {
                if (writing.FirstOrDefault(static one => one.IsCompleted) is { } ended)
                {
                    await ended;
                    Assert.Fail($"A connection ended before the server was killed: {server}");
                }

                await Task.Delay(1, TestContext.Current.CancellationToken);
            }

            await server.SignalAsync("KILL");
            await Task.WhenAll(writing);
        }
    }

    private sealed class Writer(int client, Random random)
    {
        // What is known to be there, and what was asked and not answered yet, in its order.
        private readonly Dictionary<string, Dictionary<string, string>> _hashes =
            _names.ToDictionary(name => $"{name}:{client}", static _ => new Dictionary<string, string>());

        private readonly List<string[]> _unanswered = [];
        private int _acknowledged;

        /// <summary>The pipelines of this round that were answered to their ends.</summary>
        public int Acknowledged => Volatile.Read(ref _acknowledged);

        public void Write(IPEndPoint endPoint)
        {
            try
            {
                using var connection = new RespConnection(endPoint, _patience);
                while (true)
                {
                    for (int i = random.Next(1, PipelineMax); i > 0; i--)
                        _unanswered.Add(Next());
                    foreach (string[] request in _unanswered)
                        connection.Add(request);
                    connection.Send();
                    while (_unanswered.Count > 0)
                    {
                        connection.ReadReply();
                        Apply(_hashes, _unanswered[0]);
                        _unanswered.RemoveAt(0);
                    }

                    Interlocked.Increment(ref _acknowledged);
                }
            }
            catch (IOException)
            {
                // It was killed.
            }
        }

        /// <summary>Requires that what is there is what was acknowledged, and a first part of the rest.</summary>
        public void Check(IPEndPoint endPoint, int round)
        {
            using var connection = new RespConnection(endPoint, _patience);
            var found = _hashes.Keys.ToDictionary(static key => key, key => Read(connection, key));
            int taken = 0;
            while (!_hashes.All(hash => IsSame(hash.Value, found[hash.Key])))
            {
                Assert.True(taken < _unanswered.Count, Describe(found, round));
                Apply(_hashes, _unanswered[taken++]);
            }

            _unanswered.Clear();
            Volatile.Write(ref _acknowledged, 0);
        }

        private string Describe(Dictionary<string, Dictionary<string, string>> found, int round)
        {
            var differences = _hashes.SelectMany(hash => hash.Value.Keys.Union(found[hash.Key].Keys)
                .Where(field => hash.Value.GetValueOrDefault(field) != found[hash.Key].GetValueOrDefault(field))
                .Select(field => $"{hash.Key} {field}: {found[hash.Key].GetValueOrDefault(field)?.Length} bytes, "
                    + $"not {hash.Value.GetValueOrDefault(field)?.Length}"));
            return $"Round {round}, with {_unanswered.Count} unanswered: {string.Join("; ", differences)}";
        }

        private string[] Next()
        {
            string key = $"{_names[random.Next(_names.Length)]}:{client}";
            string field = $"field:{random.Next(Fields)}";
            return random.Next(20) switch
            {
                < 3 => ["HDEL", key, field],
                3 => ["EXPIRE", key, "3600"],
                4 when random.Next(3) == 0 => ["DEL", key],
                5 => ["HSET", key, field, Value(key), $"field:{random.Next(Fields)}", Value(key)],
                _ => ["HSET", key, field, Value(key)],
            };
        }

        private string Value(string key) => new(
            (char)('a' + random.Next(26)),
            key[0] switch
            {
                's' => random.Next(10, 30),
                'g' => random.Next(10, 400),
                _ when random.Next(6) > 0 => random.Next(10, 1_000),
                _ => key.StartsWith("long", StringComparison.Ordinal) ? random.Next(1_200, 100_000) : 5_000,
            });

        private static void Apply(Dictionary<string, Dictionary<string, string>> hashes, string[] request)
        {
            var hash = hashes[request[1]];
            switch (request[0])
            {
                case "HDEL":
                    hash.Remove(request[2]);
                    break;
                case "DEL":
                    hash.Clear();
                    break;
                case "HSET":
                    for (int i = 2; i < request.Length; i += 2)
                        hash[request[i]] = request[i + 1];
                    break;
            }
        }

        private static Dictionary<string, string> Read(RespConnection connection, string key)
        {
            string?[] words = connection.Ask("HGETALL", key);
            return words.Chunk(2).ToDictionary(static pair => pair[0]!, static pair => pair[1]!);
        }

        private static bool IsSame(Dictionary<string, string> expected, Dictionary<string, string> found) =>
            expected.Count == found.Count && expected.All(one => found.GetValueOrDefault(one.Key) == one.Value);
    }
}
