using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Internal;
using Microsoft.Extensions.Options;

namespace Cache.Core.Tests.Distributed;

/// <summary>
/// The framework's own provider under the contract: what the store is measured against is itself checked.
/// </summary>
public sealed class MemoryDistributedCacheTests : DistributedCacheContract
{
    private protected override IDistributedCache CreateCache(FakeTimeProvider time) =>
        Create(new() { Clock = new Clock(time) });

    private protected override IDistributedCache CreateFullCache(FakeTimeProvider time, long limitBytes) =>
        Create(new() { Clock = new Clock(time), SizeLimit = limitBytes });

    private static MemoryDistributedCache Create(MemoryDistributedCacheOptions options) => new(Options.Create(options));

    private sealed class Clock(FakeTimeProvider time) : ISystemClock
    {
        public DateTimeOffset UtcNow => time.GetUtcNow();
    }
}
