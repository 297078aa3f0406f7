using Cache.Client;
using Cache.Near;

namespace NearRig;

/// <summary>The near caches of the scenarios: one that is checked, and one that only writes.</summary>
internal static class NearCaches
{
    public const int BoundMs = 1500;

    // A read is judged by clocks of this machine; what a loaded one delays between two of them is no staleness.
    public const int SlackMs = 100;

    public static async Task<NearCache> StartAsync(
        IEnumerable<string> endPoints, string? service = null, NearTracking tracking = NearTracking.Broadcast)
    {
        var options = new NearCacheOptions
        {
            Layout = NearLayout.Plain,
            StalenessBound = TimeSpan.FromMilliseconds(BoundMs),
            MaximumAge = TimeSpan.FromMinutes(10),
            Tracking = tracking,
            Servers = new RespClientOptions { ServiceName = service, ConnectTimeout = TimeSpan.FromSeconds(2) },
        };
        options.KeyPrefixes.Add("k:");
        foreach (string endPoint in endPoints)
            options.Servers.EndPoints.Add(endPoint);
        var near = new NearCache(options);
        await near.StartAsync(default);
        return near;
    }

    public static Task UntilCoherentAsync(NearCache near) =>
        RedisProcess.UntilAsync(() => Task.FromResult(near.Status.IsCoherent), "a near cache that is coherent");

    /// <summary>How long until it is coherent again.</summary>
    public static async Task<double> RecoveryMsAsync(NearCache near)
    {
        double began = Checker.NowMs;
        await UntilCoherentAsync(near);
        return Checker.NowMs - began;
    }
}
