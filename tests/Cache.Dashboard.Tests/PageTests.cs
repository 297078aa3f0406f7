using System.Net;
using System.Text;
using System.Text.Json;
using Cache.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Dashboard.Tests;

public sealed class PageTests
{
    [Fact]
    public async Task Page_LoadsOnlyFromItself_AndFramesNowhere()
    {
        await using var application = await DashboardApplication.StartAsync();

        var (status, body, response) = await application.SendAsync("/cache/");

        Assert.Equal(HttpStatusCode.OK, status);
        Assert.StartsWith("default-src 'self';", response.Headers.ContentSecurityPolicy.ToString());
        Assert.Contains("frame-ancestors 'none'", response.Headers.ContentSecurityPolicy.ToString());
        Assert.Equal("nosniff", response.Headers.XContentTypeOptions);
        Assert.DoesNotContain("http", body);
        Assert.DoesNotContain("<script>", body);
        Assert.DoesNotContain("style=", body);
    }

    [Fact]
    public async Task Page_WithoutItsSlash_IsFoundAtTheSlash()
    {
        await using var application = await DashboardApplication.StartAsync();

        var (status, _, response) = await application.SendAsync("/cache");

        Assert.Equal(HttpStatusCode.Found, status);
        Assert.Equal("cache/", response.Headers.Location);
    }

    [Fact]
    public async Task Asset_ThatTheBrowserHas_IsNotSentAgain()
    {
        await using var application = await DashboardApplication.StartAsync();
        var (_, body, response) = await application.SendAsync("/cache/assets/pages/overview.js");
        Assert.Contains("export function show", body);
        Assert.StartsWith("text/javascript", response.ContentType);

        var (status, again, _) = await application.SendAsync(
            "/cache/assets/pages/overview.js", headers: ("If-None-Match", response.Headers.ETag.ToString()));

        Assert.Equal(HttpStatusCode.NotModified, status);
        Assert.Empty(again);
    }

    [Theory]
    [InlineData("/cache/assets/none.js")]
    [InlineData("/cache/assets/../index.html")]
    [InlineData("/cache/assets/")]
    public async Task Asset_ThatThereIsNot_IsNotFound(string path)
    {
        await using var application = await DashboardApplication.StartAsync();

        Assert.Equal(HttpStatusCode.NotFound, (await application.SendAsync(path)).Status);
    }

    // The licence wants its text with the file; the hash says that it is the published one.
    [Fact]
    public async Task Charts_AreThePublishedOnes()
    {
        await using var application = await DashboardApplication.StartAsync();
        var (_, script, _) = await application.SendAsync("/cache/assets/uPlot.iife.min.js");
        var (_, style, _) = await application.SendAsync("/cache/assets/uPlot.min.css");

        Assert.Equal("19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f", Hash(script));
        Assert.Equal("df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04", Hash(style));

        static string Hash(string text) => Convert.ToHexStringLower(
            System.Security.Cryptography.SHA256.HashData(Encoding.UTF8.GetBytes(text)));
    }

    [Fact]
    public async Task Store_WithoutAServer_IsShownToo()
    {
        using var store = new Core.CacheStore(new Core.CacheOptions());
        store.Set("one"u8, "1"u8);
        var builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddSingleton(store);
        await using var application = builder.Build();

        application.MapCacheDashboard("/cache");
        application.MapCacheMetrics("/metrics");
    }

    [Fact]
    public async Task Application_WithoutACache_IsToldWhatToCall()
    {
        await using var application = WebApplication.CreateSlimBuilder().Build();

        var thrown = Assert.Throws<InvalidOperationException>(() => application.MapCacheDashboard("/cache"));

        Assert.Contains("AddCache()", thrown.Message);
    }

    [Fact]
    public async Task DisposedStore_IsAnError_NotAnException()
    {
        await using var application = await DashboardApplication.StartAsync();
        application.Store.Dispose();

        Assert.Equal(HttpStatusCode.ServiceUnavailable, (await application.SendAsync("/cache/api/memory")).Status);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, (await application.SendAsync("/metrics")).Status);
        Assert.Equal(HttpStatusCode.OK, (await application.SendAsync("/cache/")).Status);
    }

    [Fact]
    public async Task Live_SendsTheHistory_ThenASampleEachSecond()
    {
        var time = new FakeTimeProvider();
        // The test server's connection has no address, so it is open to all here.
        await using var open = await DashboardApplication.StartAsync(
            static app => app.MapCacheDashboard("/cache").AllowAnonymous(), time: time);
        var asked = open.Server.Connect();
        asked.Send("SET one 1\r\nGET one\r\nGET none\r\n");
        time.Advance(1000);

        using var reader = new StreamReader(await open.CreateClient().GetStreamAsync(
            "/cache/api/live", TestContext.Current.CancellationToken));
        Assert.Equal("retry: 2000", await ReadLineAsync(reader));
        Assert.Equal("event: history", await ReadLineAsync(reader));
        using var history = JsonDocument.Parse((await ReadLineAsync(reader))["data: ".Length..]);
        Assert.Equal(1, history.RootElement.GetProperty("t").GetArrayLength());
        Assert.Equal(3, history.RootElement.GetProperty("operations")[0].GetDouble());
        Assert.Equal(50, history.RootElement.GetProperty("hitRatio")[0].GetDouble());
        Assert.Equal("", await ReadLineAsync(reader));

        time.Advance(1000);
        Assert.Equal("event: sample", await ReadLineAsync(reader));
        using var sample = JsonDocument.Parse((await ReadLineAsync(reader))["data: ".Length..]);
        Assert.Equal("ready", sample.RootElement.GetProperty("state").GetString());
        Assert.Equal(0, sample.RootElement.GetProperty("operations").GetDouble());
        Assert.Equal(JsonValueKind.Null, sample.RootElement.GetProperty("hitRatio").ValueKind);
        Assert.Equal(1, sample.RootElement.GetProperty("clients").GetDouble());
    }

    [Fact]
    public async Task Live_KeepsTenMinutes()
    {
        var time = new FakeTimeProvider();
        await using var application = await DashboardApplication.StartAsync(
            static app => app.MapCacheDashboard("/cache").AllowAnonymous(), time: time);
        for (int i = 0; i < 700; i++)
            time.Advance(1000);

        using var reader = new StreamReader(await application.CreateClient().GetStreamAsync(
            "/cache/api/live", TestContext.Current.CancellationToken));
        await ReadLineAsync(reader);
        await ReadLineAsync(reader);
        using var history = JsonDocument.Parse((await ReadLineAsync(reader))["data: ".Length..]);

        var seconds = history.RootElement.GetProperty("t");
        Assert.Equal(600, seconds.GetArrayLength());
        Assert.Equal(599, seconds[599].GetInt64() - seconds[0].GetInt64());
    }

    private static async Task<string> ReadLineAsync(StreamReader reader) =>
        (await reader.ReadLineAsync(TestContext.Current.CancellationToken))!;
}
