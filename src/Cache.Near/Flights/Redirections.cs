using Cache.Client;
using Cache.Near.Links;

namespace Cache.Near.Flights;

/// <summary>Where a request goes next after an error of a server.</summary>
internal static class Redirections
{
    // A key that moves is at its place after one; more are a cluster that does not agree with itself.
    public const int CountMax = 5;

    /// <summary>The link that a redirection names; null: the error is another one, or nobody is there.</summary>
    public static NearLink? Next(
        NearTopology topology, NearLink link, RespConnection connection, in RespReply error, out bool isAsk)
    {
        if (!ClusterReplies.TryReadRedirection(error, connection.Address, out isAsk, out var address))
            return null;
        if (!isAsk)
            link.Hurry();
        return topology.LinkTo(address);
    }

    /// <summary>
    /// Whether an error says that the server cannot serve now, rather than that the request is wrong.
    /// </summary>
    public static bool IsPassing(in RespReply error) => error.ErrorCode
        is "LOADING" or "CLUSTERDOWN" or "MASTERDOWN" or "TRYAGAIN" or "READONLY" or "MOVED" or "ASK";

    /// <summary>The exception; without a code if the server cannot serve now.</summary>
    public static RespClientException ExceptionOf(RespConnection connection, string command, in RespReply error) =>
        IsPassing(error)
            ? new RespClientException($"{connection.Address}, {command}: {error.Text}")
            : connection.Refused(command, error);
}
