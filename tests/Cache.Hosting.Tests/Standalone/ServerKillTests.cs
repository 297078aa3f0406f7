using System.Globalization;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>The server is killed while clients write, again and again: what it acknowledged is there.</summary>
/// <remarks>
/// Each client sets keys of its own, by numbers, one after the other; so what is there has no gaps. With each it sets
/// the last number in the same MSET, and counts behind it. Then the number goes to a hash, a list, a set and a sorted
/// set of the client's, in this order. They begin small, and become large; the list has the last ones only. At last a
/// transaction moves the number from one account of the client's to another one, and notes it in a hash.
/// </remarks>
public sealed class ServerKillTests : IDisposable
{
    // More rounds for a long run.
    private const string RoundsVariable = "CACHE_KILL_ROUNDS";
    private const int RoundsDefault = 2;

    // Each start reads the whole journal, and each check asks for every key.
    private const int RoundsPerFolder = 10;
    private const int Clients = 3;
    private const int WritesMin = 30;
    private const int ListLength = 900;

    private readonly TemporaryFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData("always")]
    [InlineData("everysec")]
    public async Task Killed_WhileClientsWrite_HasWhatThePolicyPromises(string policy)
    {
        if (OperatingSystem.IsWindows())
            return;
        int rounds = int.Parse(
            Environment.GetEnvironmentVariable(RoundsVariable) ?? $"{RoundsDefault}", CultureInfo.InvariantCulture);
        for (int round = 0; round < rounds; round += RoundsPerFolder)
            await RunInFolderAsync(policy, $"rounds-{round}", Math.Min(RoundsPerFolder, rounds - round));
    }

    [Fact]
    public async Task Stopped_WithSavePoints_WritesASnapshot()
    {
        await using (var server = Start("--port", FreePort.Find(), "--save", "3600 1"))
        {
            await server.WaitForAsync("Loaded ");
            await using (var client = await server.ConnectAsync())
                await client.ExpectAsync("SET a 1", "+OK\r\n");
            await server.SignalAsync("TERM");
            Assert.Equal(0, await server.WaitForExitAsync());
        }

        await using var after = Start("--port", FreePort.Find());
        await after.WaitForAsync("Loaded ");
        await using var other = await after.ConnectAsync();
        await other.ExpectAsync("GET a", "$1\r\n1\r\n");
        await other.ExpectAsync("CONFIG GET appendonly", "*2\r\n$10\r\nappendonly\r\n$2\r\nno\r\n");
    }

    // Who started it is to know that the files have not what it held.
    [Fact]
    public async Task Stopped_SnapshotCannotBeWritten_EndsWithAnError()
    {
        await using var server = Start("--port", FreePort.Find(), "--save", "3600 1", "--dir", _files.PathOf(""));
        await server.WaitForAsync("Loaded ");
        await using (var client = await server.ConnectAsync())
            await client.ExpectAsync("SET a 1", "+OK\r\n");
        Directory.Delete(_files.PathOf("appendonlydir"), recursive: true);
        await server.SignalAsync("TERM");
        Assert.Equal(1, await server.WaitForExitAsync());
    }

    private async Task RunInFolderAsync(string policy, string folder, int rounds)
    {
        string directory = _files.PathOf(folder);
        Directory.CreateDirectory(directory);
        int[] acknowledged = new int[Clients];
        for (int round = 0; round <= rounds; round++)
        {
            await using var server = Start(
                "--port", FreePort.Find(), "--appendonly", "yes", "--appendfsync", policy, "--dir", directory);
            await server.WaitForAsync("Loaded "); // A slow one tells clients that it loads.
            for (int client = 0; client < Clients; client++)
            {
                int found = await CountAsync(server, client);
                if (policy == "always" || OperatingSystem.IsLinux()) // Else what is staged ends with the process.
                    Assert.True(found >= acknowledged[client], $"{found} of {acknowledged[client]} in round {round}.");
                acknowledged[client] = found;
                if (found > 0)
                {
                    await CheckLastAsync(server, client, found);
                    await CheckCollectionsAsync(server, client, found);
                    await CheckAccountsAsync(server, client, found);
                }
            }

            if (round == rounds)
            {
                await server.SignalAsync("TERM"); // Removes its shared memory.
                Assert.Equal(0, await server.WaitForExitAsync());
                break;
            }

            var writing = Enumerable.Range(0, Clients)
                .Select(client => WriteUntilKilledAsync(server, client, acknowledged)).ToArray();
            while (acknowledged.Min() < WritesMin * (round + 1))
                await Task.Delay(1, TestContext.Current.CancellationToken);
            if (round % 2 == 1) // It may be killed in the middle of a snapshot.
                await RewriteAsync(server);
            await server.SignalAsync("KILL");
            await Task.WhenAll(writing);
        }
    }

    private StandaloneProcess Start(params string[] arguments) =>
        StandaloneProcess.Start(_files.PathOf(""), arguments);

    // How many of a client's keys are there: those behind the last one must not be.
    private static async Task<int> CountAsync(StandaloneProcess server, int client)
    {
        await using var connection = await server.ConnectAsync();
        int count = 0;
        while (await ExistsAsync(connection, client, count))
            count++;
        for (int i = 1; i < 100; i++)
        {
            bool exists = await ExistsAsync(connection, client, count + i);
            Assert.False(exists, $"{client}:{count + i} is there without those before.");
        }

        return count;
    }

    private static async Task<bool> ExistsAsync(TestClient connection, int client, int number)
    {
        await connection.SendAsync($"EXISTS {client}:{number}\r\n");
        string reply = await connection.ReadAsync(4);
        Assert.Contains(reply, new[] { ":0\r\n", ":1\r\n" });
        return reply[1] == '1';
    }

    // The count may lack the last one, which comes behind its MSET.
    private static async Task CheckLastAsync(StandaloneProcess server, int client, int found)
    {
        await using var connection = await server.ConnectAsync();
        string last = $"{found - 1}";
        await connection.ExpectAsync($"GET last:{client}", $"${last.Length}\r\n{last}\r\n");
        await connection.SendAsync($"INCRBY total:{client} {2_000_000 - found}\r\n");
        Assert.Contains(await connection.ReadAsync(10), new[] { ":2000000\r\n", ":1999999\r\n" });
        await connection.ExpectAsync($"SET total:{client} {found}", "+OK\r\n");
    }

    // Of the last number some may lack what came behind its MSET. They are made equal for the next round.
    private static async Task CheckCollectionsAsync(StandaloneProcess server, int client, int found)
    {
        await using var connection = await server.ConnectAsync();
        int last = found - 1;
        await connection.SendAsync($"HSETNX h:{client} {last} {last}\r\n");
        Assert.Contains(await connection.ReadAsync(4), new[] { ":0\r\n", ":1\r\n" });
        await connection.SendAsync($"SADD s:{client} {last}\r\n");
        Assert.Contains(await connection.ReadAsync(4), new[] { ":0\r\n", ":1\r\n" });
        await connection.SendAsync($"ZADD z:{client} {last} {last}\r\n");
        Assert.Contains(await connection.ReadAsync(4), new[] { ":0\r\n", ":1\r\n" });
        await connection.SendAsync($"LREM l:{client} -1 {last}\r\n");
        Assert.Contains(await connection.ReadAsync(4), new[] { ":0\r\n", ":1\r\n" });
        await connection.SendAsync($"RPUSH l:{client} {last}\r\nLTRIM l:{client} -{ListLength} -1\r\n");
        int length = Math.Min(found, ListLength);
        Assert.StartsWith(":", await connection.ReadAsync($":{length}\r\n+OK\r\n".Length), StringComparison.Ordinal);

        // All of them, and in their order.
        string[] numbers = [.. Enumerable.Range(0, found).Select(Number)];
        string members = string.Concat(numbers.Select(Bulk));
        await connection.ExchangeAsync($"HLEN h:{client}\r\nSCARD s:{client}\r\n", $":{found}\r\n:{found}\r\n");
        await connection.ExchangeAsync(
            $"HMGET h:{client} {string.Join(' ', numbers.TakeLast(50))}\r\n",
            $"*{numbers.TakeLast(50).Count()}\r\n{string.Concat(numbers.TakeLast(50).Select(Bulk))}");
        await connection.ExchangeAsync($"ZRANGE z:{client} 0 -1\r\n", $"*{found}\r\n{members}");
        await connection.ExchangeAsync(
            $"LRANGE l:{client} 0 -1\r\n", $"*{length}\r\n{string.Concat(numbers.TakeLast(length).Select(Bulk))}");
    }

    // All of a transaction is there, or nothing. What the last number lacks is made up for, as above.
    private static async Task CheckAccountsAsync(StandaloneProcess server, int client, int found)
    {
        await using var connection = await server.ConnectAsync();
        int last = found - 1;
        await connection.SendAsync($"HSETNX moved:{client} {last} {last}\r\n");
        string isNew = await connection.ReadAsync(4);
        string sum = SumOf(found);
        if (isNew == ":1\r\n")
        {
            await connection.ExchangeAsync(
                $"DECRBY from:{client} {last}\r\nINCRBY to:{client} {last}\r\n",
                $":{Negative(sum)}\r\n:{sum}\r\n");
        }

        await connection.ExchangeAsync(
            $"HLEN moved:{client}\r\nGET from:{client}\r\nGET to:{client}\r\n",
            $":{found}\r\n{Bulk(Negative(sum))}{Bulk(sum)}");
    }

    // Of the numbers below.
    private static string SumOf(int count) => $"{(long)count * (count - 1) / 2}";

    private static string Negative(string sum) => sum == "0" ? sum : $"-{sum}";

    private static string Number(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static string Bulk(string text) => $"${text.Length}\r\n{text}\r\n";

    private static async Task RewriteAsync(StandaloneProcess server)
    {
        await using var connection = await server.ConnectAsync();
        await connection.ExpectAsync("BGREWRITEAOF", "+Background append only file rewriting started\r\n");
    }

    private static async Task WriteUntilKilledAsync(StandaloneProcess server, int client, int[] acknowledged)
    {
        await using var connection = await server.ConnectAsync();
        try
        {
            while (true)
            {
                int number = acknowledged[client];
                await connection.SendAsync(
                    $"MSET {client}:{number} x last:{client} {number}\r\nINCR total:{client}\r\n"
                    + $"HSET h:{client} {number} {number}\r\nRPUSH l:{client} {number}\r\n"
                    + $"SADD s:{client} {number}\r\nZADD z:{client} {number} {number}\r\n"
                    + $"LTRIM l:{client} -{ListLength} -1\r\n"
                    + $"MULTI\r\nDECRBY from:{client} {number}\r\nINCRBY to:{client} {number}\r\n"
                    + $"HSET moved:{client} {number} {number}\r\nEXEC\r\n");
                int length = Math.Min(number, ListLength) + 1;
                string expected = $"+OK\r\n:{number + 1}\r\n:1\r\n:{length}\r\n:1\r\n:1\r\n+OK\r\n"
                    + "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n"
                    + $"*3\r\n:{Negative(SumOf(number + 1))}\r\n:{SumOf(number + 1)}\r\n:1\r\n";
                if (await connection.ReadAsync(expected.Length) != expected)
                    return;
                acknowledged[client]++;
            }
        }
        catch (IOException)
        {
            // It was killed.
        }
    }
}
