using ZiggyCreatures.Caching.Fusion;
using ZiggyCreatures.Caching.Fusion.Serialization.SystemTextJson;

namespace Cache.Bench.Subjects;

/// <summary>FusionCache without a second level, by its own interface.</summary>
internal sealed class FusionSubject : IHybridSubject
{
    private readonly FusionCache _cache;

    private FusionSubject(string name, bool clones)
    {
        Name = name;
        _cache = new FusionCache(new FusionCacheOptions
        {
            DefaultEntryOptions = new FusionCacheEntryOptions(TimeSpan.FromDays(1)) { EnableAutoClone = clones },
        });
        _cache.SetupSerializer(new FusionCacheSystemTextJsonSerializer());
    }

    public string Name { get; }

    /// <summary>As it is by default: all callers get the object that was set.</summary>
    public static FusionSubject Shared() => new("FusionCache", clones: false);

    /// <summary>With auto-clone: each caller gets an object of its own, by JSON.</summary>
    public static FusionSubject Cloned() => new("FusionCache, cloning", clones: true);

    public ValueTask SetAsync<T>(string key, T value) => _cache.SetAsync(key, value);

    public T? Get<T>(string key) => _cache.GetOrDefault<T>(key);

    public int Read<T>(string[] keys)
    {
        Func<FusionCacheFactoryExecutionContext<T>, CancellationToken, Task<T>> factory =
            static (_, _) => throw new WrongAnswerException("A factory ran for a value that is stored.");
        int wrong = 0;
        foreach (string key in keys)
        {
            var hit = _cache.GetOrSetAsync<T>(key, factory);
            wrong += hit.IsCompletedSuccessfully && hit.Result is not null ? 0 : 1;
        }

        return wrong;
    }
}
