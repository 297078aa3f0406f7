using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.AspNetCore.Tests;

/// <summary>The framework's own store, so that the contract is what it does and not what we wish.</summary>
public sealed class MemoryOutputCacheTests : OutputCacheStoreContract, IDisposable
{
    private readonly ServiceProvider _provider =
        new ServiceCollection().AddOutputCache(static _ => { }).BuildServiceProvider();

    public void Dispose() => _provider.Dispose();

    protected override IOutputCacheStore CreateCache() => _provider.GetRequiredService<IOutputCacheStore>();
}
