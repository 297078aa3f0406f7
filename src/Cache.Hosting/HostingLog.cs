using System.Net;
using Microsoft.Extensions.Logging;

namespace Cache.Hosting;

/// <summary>What the operator of a host is told beyond what the server tells.</summary>
internal static partial class HostingLog
{
    [LoggerMessage(1, LogLevel.Warning,
        "{EndPoint} can be reached from other machines and needs no password: whoever reaches it may read and write")]
    public static partial void OpenToAll(ILogger logger, EndPoint endPoint);
}
