using System.Net;
using System.Text;
using System.Text.Json;
using Cache.Core;
using Cache.Server;
using Cache.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Dashboard.Tests;

public sealed class DataTests
{
    [Theory]
    [InlineData(null, null, null)]
    [InlineData("1", "http://other.example", null)]
    [InlineData("1", "http://localhost:81", null)]
    [InlineData("1", "null", null)]
    [InlineData("1", null, "cross-site")]
    [InlineData("1", null, "same-site")]
    [InlineData("1", "http://localhost", "none")]
    [InlineData("1", "http://other.example", "cross-site")]
    [InlineData(null, "http://localhost", "same-origin")]
    public async Task EndClient_FromAnotherPage_IsRefused(string? header, string? origin, string? site)
    {
        await using var application = await DashboardApplication.StartAsync();
        application.Server.Connect();

        var (status, _, _) = await EndAsync(application, header, origin, site);

        Assert.Equal(HttpStatusCode.Forbidden, status);
        Assert.Equal(1, application.Server.Server.State.Clients.Count);
    }

    [Theory]
    [InlineData("http://localhost", "same-origin")]
    [InlineData("https://localhost", "same-origin")]
    [InlineData("http://localhost", null)]
    [InlineData(null, null)]
    public async Task EndClient_FromThePage_DisconnectsIt(string? origin, string? site)
    {
        await using var application = await DashboardApplication.StartAsync();
        var client = application.Server.Connect();

        var (status, body, _) = await EndAsync(application, "1", origin, site);

        Assert.Equal(HttpStatusCode.OK, status);
        Assert.Equal("{\"ended\":true}", body);
        client.ReadAll();
        Assert.True(client.IsClosed);
        Assert.Equal("{\"ended\":false}", (await EndAsync(application, "1", origin, site)).Body);
    }

    [Fact]
    public async Task EndClient_ByGet_IsNoSuchThing()
    {
        await using var application = await DashboardApplication.StartAsync();

        var (status, _, _) = await application.SendAsync("/cache/api/clients/1/end");

        Assert.NotEqual(HttpStatusCode.OK, status);
    }

    [Fact]
    public async Task EndClient_WithoutTheRight_IsRefused()
    {
        await using var application = await DashboardApplication.StartAsync(
            static app => app.MapCacheDashboard(
                "/cache", static options => options.EndsClients = static _ => ValueTask.FromResult(false)));
        application.Server.Connect();

        Assert.Equal(HttpStatusCode.Forbidden, (await EndAsync(application, "1", null, null)).Status);
        Assert.Equal(1, application.Server.Server.State.Clients.Count);
    }

    [Fact]
    public async Task Clients_AreSortedAndPaged()
    {
        await using var application = await DashboardApplication.StartAsync();
        for (int i = 0; i < 120; i++)
            application.Server.Connect().Send($"CLIENT SETNAME client-{i}\r\n");

        using var first = await ReadAsync(application, "clients?sort=id&descending=1&count=50");
        using var last = await ReadAsync(application, "clients?sort=id&offset=100&count=50");
        using var some = await ReadAsync(application, "clients?search=client-11&sort=name");
        using var all = await ReadAsync(application, "clients?count=100000");

        Assert.Equal(120, first.RootElement.GetProperty("connected").GetInt32());
        Assert.Equal(50, first.RootElement.GetProperty("clients").GetArrayLength());
        Assert.Equal("client-119", first.RootElement.GetProperty("clients")[0].GetProperty("name").GetString());
        Assert.Equal(20, last.RootElement.GetProperty("clients").GetArrayLength());
        Assert.Equal(11, some.RootElement.GetProperty("matching").GetInt32());
        Assert.Equal("client-11", some.RootElement.GetProperty("clients")[0].GetProperty("name").GetString());
        Assert.Equal(120, all.RootElement.GetProperty("clients").GetArrayLength());
    }

    [Theory]
    [InlineData("address")]
    [InlineData("name")]
    [InlineData("user")]
    [InlineData("command")]
    [InlineData("database")]
    [InlineData("age")]
    [InlineData("idle")]
    [InlineData("input")]
    [InlineData("output")]
    [InlineData("memory")]
    [InlineData("no-such-column")]
    public async Task Clients_CanBeSortedByEachColumn(string column)
    {
        await using var application = await DashboardApplication.StartAsync();
        application.Server.Connect().Send("SELECT 3\r\n");
        application.Server.Connect().Send("PING\r\n");

        using var data = await ReadAsync(application, $"clients?sort={column}");

        Assert.Equal(2, data.RootElement.GetProperty("clients").GetArrayLength());
    }

    [Fact]
    public async Task Hits_AfterManyReads_HaveTheCurve()
    {
        await using var application = await DashboardApplication.StartAsync();
        using var before = await ReadAsync(application, "hits");
        application.Store.Set("key"u8, "value"u8);
        for (int i = 0; i < 5_000; i++)
        {
            application.Store.Contains("key"u8);
            if (i % 1_000 == 0)
                application.Store.GetHitRatioCurve();
        }

        using var after = await ReadAsync(application, "hits");

        Assert.Equal(0, before.RootElement.GetProperty("curve").GetArrayLength());
        var curve = after.RootElement.GetProperty("curve");
        Assert.Equal(
            [0.25, 0.5, 1, 2, 4], curve.EnumerateArray().Select(static one => one.GetProperty("scale").GetDouble()));
        Assert.All(curve.EnumerateArray(), static one => Assert.Equal(1, one.GetProperty("ratio").GetDouble()));
        Assert.Equal(
            "1 MB less would answer 0.0 % of the reads fewer.", after.RootElement.GetProperty("advice").GetString());
    }

    [Fact]
    public async Task HotKeys_AfterRequests_AreShownWithTheirRates()
    {
        var time = new FakeTimeProvider();
        await using var application = await DashboardApplication.StartAsync(time: time);
        var client = application.Server.Connect();
        for (int i = 0; i < 500; i++)
        {
            client.Send("GET hot\r\n");
            time.Advance(50);
        }

        using var data = await ReadAsync(application, "hotkeys");

        var first = data.RootElement.GetProperty("keys")[0];
        Assert.Equal("hot", first.GetProperty("key").GetString());
        Assert.InRange(first.GetProperty("reads").GetDouble(), 10, 40);
        Assert.Equal(0, first.GetProperty("writes").GetDouble());
    }

    [Fact]
    public async Task Prefixes_AfterRequestsAndAPass_AreShown()
    {
        var time = new FakeTimeProvider();
        await using var application = await DashboardApplication.StartAsync(time: time);
        var client = application.Server.Connect();
        client.Send("SET user:eu:1 value\r\nGET user:eu:1\r\nGET user:eu:2\r\nSET plain value\r\n");
        time.Advance(2000);

        using var data = await ReadAsync(application, "prefixes");
        using var keys = await ReadAsync(application, "hotkeys");

        Assert.True(data.RootElement.GetProperty("isComplete").GetBoolean());
        var user = data.RootElement.GetProperty("prefixes").EnumerateArray()
            .Single(static one => one.GetProperty("prefix").GetString() == "user:eu:");
        Assert.Equal(1, user.GetProperty("keys").GetDouble());
        Assert.Equal(2 * user.GetProperty("hits").GetDouble(), user.GetProperty("reads").GetDouble());
        Assert.Equal(
            ["plain", "user:eu:1"],
            keys.RootElement.GetProperty("largest").EnumerateArray()
                .Select(static one => one.GetProperty("key").GetString()).Order());
    }

    [Fact]
    public async Task Events_AfterAChange_HaveIt()
    {
        await using var application = await DashboardApplication.StartAsync();
        application.Server.Connect().Send("CONFIG SET timeout 77\r\n");

        using var data = await ReadAsync(application, "events");

        var last = data.RootElement.GetProperty("events")[0];
        Assert.Equal("config", last.GetProperty("kind").GetString());
        Assert.EndsWith("CONFIG SET timeout 77", last.GetProperty("text").GetString());
    }

    [Fact]
    public async Task Key_ShowsAllButItsValue()
    {
        await using var application = await DashboardApplication.StartAsync();
        application.Store.Set("user:1"u8, "secret"u8);

        var (_, body, _) = await application.SendAsync("/cache/api/key?key=user:1");

        Assert.DoesNotContain("secret", body);
        using var data = JsonDocument.Parse(body);
        Assert.True(data.RootElement.GetProperty("exists").GetBoolean());
        Assert.Equal(6, data.RootElement.GetProperty("length").GetInt32());
        Assert.True(data.RootElement.GetProperty("memory").GetInt64() > 12);
        Assert.Equal(0, application.Store.GetStatistics().Hits);
    }

    [Fact]
    public async Task Key_WithTheRight_ShowsTheBeginningOfItsValue()
    {
        await using var application = await StartShowingAsync();
        application.Store.Set("text"u8, "value \u00fc"u8);
        application.Store.Set("bytes"u8, [0, 255, (byte)'a', (byte)'\\']);
        application.Store.Set("long"u8, new byte[100_000]);

        Assert.Equal("value \u00fc", await ValueAsync("key=text"));
        Assert.Equal("\\x00\\xffa\\x5c", await ValueAsync("key=bytes"));
        Assert.Equal(4096 * 4, (await ValueAsync("key=long"))!.Length);

        async Task<string?> ValueAsync(string query)
        {
            using var data = await ReadAsync(application, "key?" + query);
            return data.RootElement.GetProperty("value").GetString();
        }
    }

    [Fact]
    public async Task Key_WithTheRight_ShowsTextAsText()
    {
        await using var application = await StartShowingAsync();
        application.Store.Set("lines"u8, "caf\u00e9\r\n\tbar\u0000\\"u8);
        // A character of two bytes lies over the end of what is shown.
        application.Store.Set("long"u8, Encoding.UTF8.GetBytes("x" + new string('\u00e9', 5000)));

        Assert.Equal("caf\u00e9\r\n\tbar\\x00\\x5c", await ValueAsync("key=lines"));
        Assert.Equal("x" + new string('\u00e9', 2047), await ValueAsync("key=long"));

        async Task<string?> ValueAsync(string query)
        {
            using var data = await ReadAsync(application, "key?" + query);
            return data.RootElement.GetProperty("value").GetString();
        }
    }

    // A page of the longest keys would be nine megabytes, and none of them could be asked for.
    [Fact]
    public async Task Keys_ThatAreLong_MakeNoLongReply()
    {
        await using var application = await DashboardApplication.StartAsync();
        for (int i = 0; i < 8; i++)
            application.Store.Set(Encoding.UTF8.GetBytes($"{i}x" + new string('\u00e9', 32_000)), "1"u8);
        application.Store.Set(Encoding.UTF8.GetBytes("named" + new string('\u00e9', 2000)), "1"u8);

        var (_, body, _) = await application.SendAsync("/cache/api/keys");

        Assert.InRange(body.Length, 1, 32_768);
        using var data = JsonDocument.Parse(body);
        var rows = data.RootElement.GetProperty("keys").EnumerateArray().ToArray();
        Assert.Equal(9, rows.Length);
        Assert.All(rows, static row => Assert.EndsWith("\u00e9", row.GetProperty("key").GetString()));
        Assert.All(rows, static row => Assert.True(row.GetProperty("isCut").GetBoolean()));
        var named = Assert.Single(rows, static row => row.GetProperty("id").ValueKind == JsonValueKind.String);
        using var one = await ReadAsync(application, "key?id=" + named.GetProperty("id").GetString());
        Assert.True(one.RootElement.GetProperty("exists").GetBoolean());
    }

    [Fact]
    public async Task Keys_OfAnyBytes_AreFoundByWhatTheListNames()
    {
        await using var application = await DashboardApplication.StartAsync();
        application.Store.Set([0xFF, 0x00, 0x80], "1"u8);

        using var list = await ReadAsync(application, "keys");
        var row = list.RootElement.GetProperty("keys")[0];
        using var one = await ReadAsync(application, "key?id=" + row.GetProperty("id").GetString());

        Assert.Equal("\\xff\\x00\\x80", row.GetProperty("key").GetString());
        Assert.True(one.RootElement.GetProperty("exists").GetBoolean());
    }

    [Fact]
    public async Task Keys_ThatMatch_AreAllFoundOverThePages()
    {
        await using var application = await DashboardApplication.StartAsync();
        for (int i = 0; i < 1000; i++)
            application.Store.Set(Encoding.ASCII.GetBytes($"{(i % 4 == 0 ? "user" : "other")}:{i}"), "1"u8);
        var found = new HashSet<string>();
        string cursor = "0";
        int pages = 0;
        do
        {
            using var page = await ReadAsync(application, $"keys?pattern=user:*&cursor={cursor}");
            cursor = page.RootElement.GetProperty("cursor").GetString()!;
            foreach (var key in page.RootElement.GetProperty("keys").EnumerateArray())
                found.Add(key.GetProperty("key").GetString()!);
            pages++;
        }
        while (cursor != "0" && pages < 100);

        Assert.Equal(250, found.Count);
        Assert.InRange(pages, 2, 20);
    }

    [Theory]
    [InlineData("keys?database=16")]
    [InlineData("keys?database=-1")]
    [InlineData("keys?database=x")]
    [InlineData("key?id=!!!")]
    [InlineData("key?database=99&key=one")]
    public async Task Keys_OfWrongQueries_AreAnError(string query)
    {
        await using var application = await DashboardApplication.StartAsync();

        Assert.Equal(HttpStatusCode.BadRequest, (await application.SendAsync("/cache/api/" + query)).Status);
    }

    [Fact]
    public async Task SlowLog_ShowsValuesOnlyWithTheRight()
    {
        await using var hiding = await DashboardApplication.StartAsync();
        await using var showing = await StartShowingAsync();
        foreach (var application in (DashboardApplication[])[hiding, showing])
            application.Server.Connect().Send("CONFIG SET slowlog-log-slower-than 0\r\nSET user:1 secret\r\n");

        Assert.DoesNotContain("secret", (await hiding.SendAsync("/cache/api/latency")).Body);
        Assert.Contains("user:1", (await hiding.SendAsync("/cache/api/latency")).Body);
        Assert.Contains("secret", (await showing.SendAsync("/cache/api/latency")).Body);
    }

    [Fact]
    public async Task Configuration_TellsOriginsAndNoPasswords()
    {
        await using var application = await DashboardApplication.StartAsync();
        var client = application.Server.Connect();
        client.Send("CONFIG SET maxclients 77\r\nCONFIG SET requirepass hidden-word\r\n");
        Assert.Equal("+OK\r\n+OK\r\n", Encoding.ASCII.GetString(client.ReadAll()));

        var (_, body, _) = await application.SendAsync("/cache/api/configuration");

        Assert.DoesNotContain("hidden-word", body);
        using var data = JsonDocument.Parse(body);
        var parameters = data.RootElement.GetProperty("parameters").EnumerateArray()
            .ToDictionary(static one => one.GetProperty("name").GetString()!);
        Assert.Equal("77", parameters["maxclients"].GetProperty("value").GetString());
        Assert.Equal("10000", parameters["maxclients"].GetProperty("default").GetString());
        Assert.Equal("CONFIG SET", parameters["maxclients"].GetProperty("origin").GetString());
        Assert.Equal("default", parameters["timeout"].GetProperty("origin").GetString());
        Assert.Equal("CONFIG SET", parameters["requirepass"].GetProperty("origin").GetString());
    }

    [Fact]
    public async Task Configuration_OfAServerWithoutOptions_IsAllDefault()
    {
        await using var application = await DashboardApplication.StartAsync(static app =>
        {
            app.Services.GetRequiredService<RespServer>().State.Store.MemoryLimitBytes =
                new CacheOptions().MemoryLimitBytes;
            app.MapCacheDashboard("/cache");
        });

        using var data = await ReadAsync(application, "configuration");

        Assert.Empty(
            data.RootElement.GetProperty("parameters").EnumerateArray()
                .Where(static one => one.GetProperty("origin").GetString() != "default")
                .Select(static one => one.GetProperty("name").GetString()));
    }

    [Fact]
    public async Task Names_OfUsers_AreText()
    {
        await using var application = await DashboardApplication.StartAsync();
        application.Server.Connect().Send(
            "ACL SETUSER j\u00fcrgen on nopass ~* +@all\r\nAUTH j\u00fcrgen any\r\n"u8);
        application.Server.Connect().Send("AUTH s\u00f8ren wrong\r\n"u8);

        using var clients = await ReadAsync(application, "clients?search=j\u00fcrgen");
        using var events = await ReadAsync(application, "events");

        Assert.Equal("j\u00fcrgen", clients.RootElement.GetProperty("clients")[0].GetProperty("user").GetString());
        Assert.Equal("s\u00f8ren", events.RootElement.GetProperty("denials")[0].GetProperty("user").GetString());
    }

    [Fact]
    public async Task Events_HaveLimitsAndDenials()
    {
        await using var application = await DashboardApplication.StartAsync();
        var client = application.Server.Connect();
        client.Send("AUTH nobody wrong\r\n");
        client.ReadAll();

        using var data = await ReadAsync(application, "events");

        Assert.Equal("nobody", data.RootElement.GetProperty("denials")[0].GetProperty("user").GetString());
        Assert.Contains(
            data.RootElement.GetProperty("limits").EnumerateArray(),
            static one => one.GetProperty("name").GetString() == "AuthenticationFailure");
    }

    [Fact]
    public async Task Memory_KindsAddUpToWhatTheProcessHolds()
    {
        await using var application = await DashboardApplication.StartAsync();
        application.Store.Set("one"u8, new byte[100_000]);

        using var data = await ReadAsync(application, "memory");

        long used = data.RootElement.GetProperty("used").GetInt64();
        var kinds = data.RootElement.GetProperty("kinds").EnumerateArray()
            .ToDictionary(
                static one => one.GetProperty("name").GetString()!,
                static one => one.GetProperty("bytes").GetInt64());
        Assert.Equal(used, kinds["Entries"] + kinds["Empty store"] + kinds["Clients"]);
        Assert.True(kinds["Entries"] > 100_000);
        Assert.True(kinds["Managed heap"] > 0);
    }

    private static Task<DashboardApplication> StartShowingAsync() => DashboardApplication.StartAsync(
        static app => app.MapCacheDashboard(
            "/cache", static options => options.ShowsValues = static _ => ValueTask.FromResult(true)));

    private static async Task<JsonDocument> ReadAsync(DashboardApplication application, string path)
    {
        var (status, body, _) = await application.SendAsync("/cache/api/" + path);
        Assert.Equal(HttpStatusCode.OK, status);
        return JsonDocument.Parse(body);
    }

    private static Task<(HttpStatusCode Status, string Body, Microsoft.AspNetCore.Http.HttpResponse Response)> EndAsync(
        DashboardApplication application, string? header, string? origin, string? site)
    {
        var headers = new List<(string, string)>();
        if (header is not null)
            headers.Add(("X-Cache-Dashboard", header));
        if (origin is not null)
            headers.Add(("Origin", origin));
        if (site is not null)
            headers.Add(("Sec-Fetch-Site", site));
        return application.SendAsync("/cache/api/clients/1/end", method: "POST", headers: [.. headers]);
    }
}
