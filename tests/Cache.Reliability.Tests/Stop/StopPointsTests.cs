using System.Text;
using Cache.Reliability.Tests.Fuzz;

namespace Cache.Reliability.Tests.Stop;

/// <summary>Requests at each of whose points the store, the server or both end: one run for each point.</summary>
/// <remarks>A point is each call of the server to its transport, and each look at the clock.</remarks>
public sealed class StopPointsTests(ITestOutputHelper output)
{
    // Of the longest script there are some hundreds.
    private const int PointsMax = 10_000;

    private static readonly Dictionary<string, Func<StopRun, Task>> _ends = new()
    {
        ["the store"] = static run =>
        {
            run.Store.Dispose();
            return Task.CompletedTask;
        },
        ["the server"] = static run => run.Server.StopAsync(CancellationToken.None),
        ["the server at once"] = static run => run.Server.StopAsync(new CancellationToken(canceled: true)),
        ["the store and the server"] = static async run =>
        {
            var stopping = run.Server.StopAsync(CancellationToken.None);
            run.Store.Dispose();
            await stopping;
        },
    };

    /// <summary>A script, what ends, and whether long requests are executed elsewhere.</summary>
    public static TheoryData<string, string, bool> Cases => [.. from script in StopScripts.All.Keys
                                                                from end in _ends.Keys
                                                                from sharesThread in StopScripts.WaysOf(script)
                                                                select (script, end, sharesThread)];

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task End_AtAnyPoint_LeavesNothingBehind(string script, string end, bool sharesThread)
    {
        byte[][] pieces = StopScripts.All[script];
        var whole = await RunAsync(pieces, new StopPoints(int.MaxValue), sharesThread, _ends[end]);
        string expected = whole!.Value.Received;
        for (int target = 1; target < PointsMax; target++)
        {
            var points = new StopPoints(target);
            try
            {
                if (await RunAsync(pieces, points, sharesThread, _ends[end]) is var (received, sentBytes))
                {
                    Check(received, expected);
                    if (end == "the server" && !sharesThread)
                        CheckAllAnswered(received, pieces, sentBytes);
                    continue;
                }
            }
            catch (Exception e)
            {
                throw new InvalidOperationException($"At point {target}, {points.Name}: {e.Message}", e);
            }

            output.WriteLine($"{target - 1} points.");
            return;
        }

        Assert.Fail("The requests have no end.");
    }

    /// <returns>What was received; null if there were not so many points as one that there could be.</returns>
    private static async Task<(string Received, int SentBytes)?> RunAsync(
        byte[][] pieces, StopPoints points, bool sharesThread, Func<StopRun, Task> end)
    {
        await using var run = await StopRun.StartAsync(points, sharesThread);
        points.Act = () => end(run);
        run.Send(pieces);
        run.End();
        return points.Name is null && !points.IsEndless
            ? null
            : (run.Received, run.SentBytes);
    }

    // The right replies, as far as they go, but for one that tells of the store's end. The last may be cut.
    private static void Check(string received, string expected)
    {
        const string Error = "-ERR the store of this server was disposed\r\n";
        if (received.EndsWith(Error, StringComparison.Ordinal))
            received = received[..^Error.Length];
        Assert.StartsWith(received, expected, StringComparison.Ordinal);
    }

    // A stop answers what was received whole. Where requests are executed elsewhere, their time may be over first.
    private static void CheckAllAnswered(string received, byte[][] pieces, int sentBytes)
    {
        byte[] sent = [.. pieces.SelectMany(static piece => piece).Take(sentBytes)];
        var replies = ReplyScanner.Scan(Encoding.Latin1.GetBytes(received), takesVersion3: false);
        Assert.False(replies.IsCut);
        Assert.InRange(replies.Replies, ReferenceTokenizer.Read(sent).Requests.Count, int.MaxValue);
    }
}
