using System.Text;
using Cache.Core;
using InProcess;

using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20 });

store.Set("greeting"u8, "hello"u8);
store.Set("session"u8, "ada"u8, new() { ExpiresAtMs = store.NowMs + 60_000 });
store.Increment("visits"u8, 41, out _);
store.Increment("visits"u8, 1, out long visits);

Console.WriteLine($"greeting  {Encoding.UTF8.GetString(store.GetArray("greeting"u8) ?? [])}");
Console.WriteLine($"visits    {visits}");
if (store.TryGetInfo("session"u8, out var session))
    Console.WriteLine($"session   expires in {session.ExpiresAtMs - store.NowMs} ms");
Console.WriteLine($"missing   {(store.Contains("missing"u8) ? "found" : "not found")}");

// A leaderboard: members in the order of their scores.
SortedSetKey board = store.SortedSet("leaderboard"u8);
board.Add("ada"u8, 320);
board.Add("bob"u8, 270);
board.Increment("cleo"u8, 150, out _);
board.Increment("cleo"u8, 200, out _);
var firstTwo = new TextSink();
board.GetRange(SortedSetRange.ByRank(0, 1) with { IsReversed = true }, ref firstTwo);
board.TryGetRank("ada"u8, isReversed: true, out long rank);
Console.WriteLine($"leaders   {firstTwo.Text}; ada comes {rank + 1}.");

// A queue: jobs are added at the right end and taken at the left one.
ListKey jobs = store.List("jobs"u8);
jobs.Push(ListEnd.Right, "resize 17.png"u8);
jobs.Push(ListEnd.Right, "resize 18.png"u8);
byte[]? next = jobs.PopArray(ListEnd.Left);
Console.WriteLine($"next job  {Encoding.UTF8.GetString(next ?? [])}, {jobs.Count} left");

// A limit of five requests in any ten seconds.
var limiter = new SlidingWindow(store, count: 5, windowMs: 10_000);
int allowed = 0;
for (int i = 0; i < 8; i++)
    allowed += limiter.TryEnter("client:17"u8) ? 1 : 0;
Console.WriteLine($"allowed   {allowed} of 8 requests");

Console.WriteLine($"entries   {store.Count}, {store.GetStatistics().MemoryBytes} of {store.MemoryLimitBytes} bytes");
