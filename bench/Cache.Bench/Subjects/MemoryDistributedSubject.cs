using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Options;

namespace Cache.Bench.Subjects;

/// <summary>The framework's <see cref="MemoryDistributedCache"/>, without a size limit.</summary>
internal sealed class MemoryDistributedSubject() : DistributedSubject(
    "memorydistributed",
    new MemoryDistributedCache(Options.Create(new MemoryDistributedCacheOptions { SizeLimit = null })));
