using System.Net;
using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Cache.Dashboard.Tests;

public sealed class AccessTests
{
    private static readonly string[] _paths =
    [
        "/cache/", "/cache/assets/app.js", "/cache/api/live", "/cache/api/server", "/cache/api/hits",
        "/cache/api/memory", "/cache/api/latency", "/cache/api/clients", "/cache/api/keys", "/cache/api/key?key=one",
        "/cache/api/configuration", "/cache/api/events", "/cache/api/hotkeys", "/cache/api/prefixes",
        "/cache/api/doctor", "/metrics",
    ];

    public static TheoryData<string> Paths => [.. _paths];

    // Probes ask so whether it is there.
    [Fact]
    public async Task Metrics_Head_IsAnsweredWithoutABody()
    {
        await using var application = await DashboardApplication.StartAsync();

        var (status, body, _) = await application.SendAsync("/metrics", method: "HEAD");

        Assert.Equal((HttpStatusCode.OK, ""), (status, body));
    }

    [Theory]
    [MemberData(nameof(Paths))]
    public async Task WithoutAPolicy_AnotherMachine_IsRefused(string path)
    {
        await using var application = await DashboardApplication.StartAsync();

        var (status, body, _) = await application.SendAsync(path, from: "192.0.2.7");

        Assert.Equal(HttpStatusCode.Forbidden, status);
        Assert.Contains("RequireAuthorization", body);
    }

    [Theory]
    [InlineData("127.0.0.1", "localhost", HttpStatusCode.OK)]
    [InlineData("127.0.0.1", "localhost:5000", HttpStatusCode.OK)]
    [InlineData("127.0.0.1", "127.0.0.1:5000", HttpStatusCode.OK)]
    [InlineData("::1", "[::1]:5000", HttpStatusCode.OK)]
    [InlineData("::ffff:127.0.0.1", "localhost", HttpStatusCode.OK)]
    // A name of another site that resolves to this machine.
    [InlineData("127.0.0.1", "rebound.example", HttpStatusCode.Forbidden)]
    [InlineData("127.0.0.1", "localhost.example", HttpStatusCode.Forbidden)]
    [InlineData("192.0.2.7", "localhost", HttpStatusCode.Forbidden)]
    [InlineData("2001:db8::1", "[::1]", HttpStatusCode.Forbidden)]
    public async Task WithoutAPolicy_AddressAndHostDecide(string from, string host, HttpStatusCode expected)
    {
        await using var application = await DashboardApplication.StartAsync();

        var (status, _, _) = await application.SendAsync("/cache/api/server", from, host);

        Assert.Equal(expected, status);
    }

    [Theory]
    [InlineData("X-Forwarded-For")]
    [InlineData("X-Forwarded-Host")]
    [InlineData("X-Forwarded-Proto")]
    [InlineData("X-Real-IP")]
    [InlineData("Forwarded")]
    [InlineData("Via")]
    [InlineData("X-Original-For")]
    [InlineData("X-Original-Host")]
    [InlineData("X-Original-Proto")]
    public async Task WithoutAPolicy_AForwardedRequest_IsRefused(string header)
    {
        await using var application = await DashboardApplication.StartAsync();

        var (status, _, _) = await application.SendAsync("/cache/api/server", headers: (header, "for=192.0.2.7"));

        Assert.Equal(HttpStatusCode.Forbidden, status);
    }

    // The middleware takes the headers away, and the host is what the asker says.
    [Fact]
    public async Task WithoutAPolicy_AHostThatWasForwarded_IsRefused()
    {
        await using var application = await DashboardApplication.StartAsync(static app =>
        {
            app.UseForwardedHeaders(new ForwardedHeadersOptions
            {
                ForwardedHeaders = ForwardedHeaders.XForwardedHost | ForwardedHeaders.XForwardedProto,
            });
            app.UseRouting();
            app.MapCacheDashboard("/cache");
        });

        var (status, _, _) = await application.SendAsync(
            "/cache/api/server", host: "cache.example",
            headers: [("X-Forwarded-Host", "localhost"), ("X-Forwarded-Proto", "https")]);

        Assert.Equal(HttpStatusCode.Forbidden, status);
    }

    // As nginx forwards if it is told nothing but where to: its own address as the host, and no header.
    [Fact]
    public async Task WithoutAPolicy_AProxyOfTheOldProtocol_IsRefused()
    {
        await using var application = await DashboardApplication.StartAsync();

        var (status, _, _) = await application.SendAsync(
            "/cache/api/server", host: "127.0.0.1:5000", protocol: "HTTP/1.0");

        Assert.Equal(HttpStatusCode.Forbidden, status);
    }

    // Where the application lets pages of all origins read its replies.
    [Theory]
    [InlineData("http://other.example", HttpStatusCode.Forbidden)]
    [InlineData("null", HttpStatusCode.Forbidden)]
    [InlineData("http://localhost", HttpStatusCode.OK)]
    public async Task WithoutAPolicy_APageOfAnotherOrigin_IsRefused(string origin, HttpStatusCode expected)
    {
        await using var application = await DashboardApplication.StartAsync(
            static app =>
            {
                app.UseCors(static policy => policy.AllowAnyOrigin().AllowAnyHeader().AllowAnyMethod());
                app.MapCacheDashboard("/cache");
            },
            static services => services.AddCors());

        var (status, _, _) = await application.SendAsync("/cache/api/keys", headers: ("Origin", origin));

        Assert.Equal(expected, status);
    }

    // An output cache that keeps all replies would give another machine what this one was shown.
    [Theory]
    [InlineData("/cache/api/clients")]
    [InlineData("/metrics")]
    public async Task WithoutAPolicy_TheOutputCacheKeepsNothing(string path)
    {
        await using var application = await DashboardApplication.StartAsync(
            static app =>
            {
                app.UseOutputCache();
                app.MapCacheDashboard("/cache");
                app.MapCacheMetrics("/metrics");
            },
            static services => services.AddOutputCache(
                static options => options.AddBasePolicy(static policy => policy.Cache())));
        Assert.Equal(HttpStatusCode.OK, (await application.SendAsync(path)).Status);

        var (status, _, _) = await application.SendAsync(path, from: "192.0.2.7");

        Assert.Equal(HttpStatusCode.Forbidden, status);
    }

    [Theory]
    [MemberData(nameof(Paths))]
    public async Task WithAPolicy_ThePolicyDecides_ForAllPaths(string path)
    {
        await using var application = await DashboardApplication.StartAsync(
            static app =>
            {
                app.UseAuthentication();
                app.UseAuthorization();
                app.MapCacheDashboard("/cache").RequireAuthorization("ops");
                app.MapCacheMetrics("/metrics").RequireAuthorization("ops");
            },
            static services =>
            {
                services.AddAuthentication("test").AddScheme<AuthenticationSchemeOptions, ByHeader>("test", null);
                services.AddAuthorization(options => options.AddPolicy("ops", policy => policy.RequireRole("ops")));
            });

        Assert.Equal(HttpStatusCode.Unauthorized, (await application.SendAsync(path)).Status);
        Assert.Equal(
            HttpStatusCode.Forbidden, (await application.SendAsync(path, headers: ("x-role", "other"))).Status);
        if (path.EndsWith("live", StringComparison.Ordinal))
            return; // It does not end by itself.
        Assert.Equal(
            HttpStatusCode.OK,
            (await application.SendAsync(path, "192.0.2.7", "cache.example", headers: ("x-role", "ops"))).Status);
    }

    [Fact]
    public async Task WithAnonymousAccess_OthersAreAnswered()
    {
        await using var application = await DashboardApplication.StartAsync(
            static app => app.MapCacheMetrics("/metrics").AllowAnonymous());

        var (status, body, response) = await application.SendAsync("/metrics", "192.0.2.7", "cache.example");

        Assert.Equal(HttpStatusCode.OK, status);
        Assert.StartsWith("text/plain; version=0.0.4", response.ContentType);
        Assert.Contains("redis_up 1", body);
    }

    private sealed class ByHeader(
        IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync()
        {
            string role = Request.Headers["x-role"].ToString();
            if (role.Length == 0)
                return Task.FromResult(AuthenticateResult.NoResult());
            var identity = new ClaimsIdentity([new Claim(ClaimTypes.Role, role)], "test");
            return Task.FromResult(
                AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(identity), "test")));
        }
    }
}
