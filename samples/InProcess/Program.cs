using System.Text;
using Cache.Core;

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
Console.WriteLine($"entries   {store.Count}, {store.GetStatistics().MemoryBytes} of {store.MemoryLimitBytes} bytes");
