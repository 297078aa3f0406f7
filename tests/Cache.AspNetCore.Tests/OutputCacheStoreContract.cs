using System.Text;
using Microsoft.AspNetCore.OutputCaching;

namespace Cache.AspNetCore.Tests;

/// <summary>What the store's output cache has in common with the framework's in-memory one; both run it.</summary>
public abstract class OutputCacheStoreContract
{
    private const string Key = "GET\u001eHTTPS\u001eEXAMPLE.ORG/";

    private static readonly TimeSpan _minute = TimeSpan.FromMinutes(1);

    private IOutputCacheStore? _cache;

    protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private IOutputCacheStore Cache => _cache ??= CreateCache();

    [Fact]
    public async Task Get_MissingKey_IsNull() => Assert.Null(await GetAsync(Key));

    [Fact]
    public async Task Set_ThenGet_ReturnsTheResponse()
    {
        await SetAsync(Key, "page");
        Assert.Equal("page", await GetAsync(Key));
    }

    [Fact]
    public async Task Set_EmptyResponse_IsAResponse()
    {
        await SetAsync(Key, "");
        Assert.Equal("", await GetAsync(Key));
    }

    [Fact]
    public async Task Set_Twice_TheLaterStays()
    {
        await SetAsync(Key, "first", "a");
        await SetAsync(Key, "second", "b");
        Assert.Equal("second", await GetAsync(Key));
    }

    [Fact]
    public async Task Evict_RemovesEveryResponseWithTheTag_AndNoOther()
    {
        await SetAsync("1", "one", "a");
        await SetAsync("2", "two", "b", "a");
        await SetAsync("3", "three", "b");
        await SetAsync("4", "four");
        await Cache.EvictByTagAsync("a", Token);
        Assert.Equal<IEnumerable<string?>>([null, null, "three", "four"], await GetAllAsync("1", "2", "3", "4"));
    }

    [Fact]
    public async Task Evict_TagThatNoResponseHas_ChangesNothing()
    {
        await SetAsync(Key, "page", "a");
        await Cache.EvictByTagAsync("b", Token);
        Assert.Equal("page", await GetAsync(Key));
    }

    [Fact]
    public async Task Evict_TagsAreComparedByEveryUnit()
    {
        await SetAsync("1", "one", "tag");
        await SetAsync("2", "two", "Tag");
        await SetAsync("3", "three", "tagg");
        await SetAsync("4", "four", "");
        await SetAsync("5", "five", "метка");
        await Cache.EvictByTagAsync("tag", Token);
        await Cache.EvictByTagAsync("метка", Token);
        var responses = await GetAllAsync("1", "2", "3", "4", "5");
        Assert.Equal<IEnumerable<string?>>([null, "two", "three", "four", null], responses);
        await Cache.EvictByTagAsync("", Token);
        Assert.Equal<IEnumerable<string?>>(["two", "three", null], await GetAllAsync("2", "3", "4"));
    }

    [Fact]
    public async Task Set_AfterEvict_Counts()
    {
        await SetAsync(Key, "old", "a");
        await Cache.EvictByTagAsync("a", Token);
        await SetAsync(Key, "new", "a");
        Assert.Equal("new", await GetAsync(Key));
        await Cache.EvictByTagAsync("a", Token);
        Assert.Null(await GetAsync(Key));
    }

    [Fact]
    public async Task Null_IsRefused()
    {
        await Assert.ThrowsAsync<ArgumentNullException>("key", async () => await Cache.GetAsync(null!, Token));
        await Assert.ThrowsAsync<ArgumentNullException>("tag", async () => await Cache.EvictByTagAsync(null!, Token));
        await Assert.ThrowsAsync<ArgumentNullException>(
            "key", async () => await Cache.SetAsync(null!, [], null, _minute, Token));
        await Assert.ThrowsAsync<ArgumentNullException>(
            "value", async () => await Cache.SetAsync(Key, null!, null, _minute, Token));
    }

    protected abstract IOutputCacheStore CreateCache();

    private ValueTask SetAsync(string key, string response, params string[] tags) =>
        Cache.SetAsync(key, Encoding.UTF8.GetBytes(response), tags.Length == 0 ? null : tags, _minute, Token);

    private async Task<string?> GetAsync(string key) =>
        await Cache.GetAsync(key, Token) is { } response ? Encoding.UTF8.GetString(response) : null;

    private async Task<List<string?>> GetAllAsync(params string[] keys)
    {
        var responses = new List<string?>();
        foreach (string key in keys)
            responses.Add(await GetAsync(key));
        return responses;
    }
}
