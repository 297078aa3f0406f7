using Cache.Server;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>The transports that this system has.</summary>
internal static class FuzzTransports
{
    public static IReadOnlyList<RespTransport> Offered { get; } =
    [
        .. Enum.GetValues<RespTransport>().Where(static transport =>
            new RespServerOptions { Transport = transport }.FindProblems().Count == 0)
    ];
}
