using System.Net;
using Microsoft.Extensions.Logging;

namespace Cache.Hosting;

/// <summary>What the operator of a host is told beyond what the server tells.</summary>
internal static partial class HostingLog
{
    [LoggerMessage(1, LogLevel.Warning,
        "{EndPoint} can be reached from other machines and needs no password: any client can read and write")]
    public static partial void OpenToAll(ILogger logger, EndPoint endPoint);

    [LoggerMessage(2, LogLevel.Warning,
        "{EndPoint} needs no password: protected mode refuses clients of other machines until a password is set")]
    public static partial void ClosedToOthers(ILogger logger, EndPoint endPoint);

    [LoggerMessage(3, LogLevel.Warning,
        "The memory limit {Limit} leaves little of the {Available} that the process may use: clients and the runtime "
        + "need memory too, and the system may end a process that takes more")]
    public static partial void LimitLeavesTooLittle(ILogger logger, string limit, string available);
}
