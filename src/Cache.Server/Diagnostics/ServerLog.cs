using System.Net;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Diagnostics;

/// <summary>The server's log messages. Nothing is logged per command.</summary>
internal static partial class ServerLog
{
    [LoggerMessage(1, LogLevel.Information, "Ready to accept connections on {EndPoint}")]
    public static partial void Listening(ILogger logger, EndPoint endPoint);

    [LoggerMessage(21, LogLevel.Information, "Ready to accept TLS connections on {EndPoint}")]
    public static partial void ListeningForTls(ILogger logger, EndPoint endPoint);

    [LoggerMessage(31, LogLevel.Information, "No longer listening on {EndPoint}")]
    public static partial void ListensNoMore(ILogger logger, EndPoint endPoint);

    [LoggerMessage(32, LogLevel.Warning, "CONFIG SET refused, the addresses are unchanged: {Problem}")]
    public static partial void ListenRefused(ILogger logger, string problem);

    [LoggerMessage(33, LogLevel.Error, "No longer listening on {EndPoint}, after a failed change: {Problem}")]
    public static partial void ListenLost(ILogger logger, EndPoint endPoint, string problem);

    [LoggerMessage(34, LogLevel.Information, "CONFIG REWRITE: {Path} has the present values")]
    public static partial void ConfigRewritten(ILogger logger, string path);

    [LoggerMessage(35, LogLevel.Warning, "CONFIG REWRITE: {Path} stays as it was: {Problem}")]
    public static partial void ConfigNotRewritten(ILogger logger, string path, string problem);

    [LoggerMessage(
        22, LogLevel.Information, "Cache {Version} starts as process {ProcessId}; it replies as Redis {RedisVersion}")]
    public static partial void Starting(ILogger logger, string version, string redisVersion, int processId);

    [LoggerMessage(2, LogLevel.Warning, "Skipped the address {Address}: this machine does not have it")]
    public static partial void AddressSkipped(ILogger logger, string address);

    // Without the stack trace: for it the runtime opens files, and ends the process if it cannot.
    [LoggerMessage(3, LogLevel.Warning, "Cannot accept on {EndPoint}, retrying in {Delay}: {Reason}")]
    public static partial void AcceptFailed(ILogger logger, EndPoint endPoint, TimeSpan delay, string reason);

    [LoggerMessage(4, LogLevel.Error, "Accepting on {EndPoint} has ended")]
    public static partial void AcceptEnded(ILogger logger, EndPoint endPoint, Exception exception);

    [LoggerMessage(5, LogLevel.Debug, "Client {ClientId} connected from {Address}")]
    public static partial void Connected(ILogger logger, long clientId, string address);

    [LoggerMessage(6, LogLevel.Debug, "Client {ClientId} disconnected")]
    public static partial void Disconnected(ILogger logger, long clientId);

    [LoggerMessage(7, LogLevel.Debug, "The connection of client {ClientId} broke")]
    public static partial void ConnectionBroken(ILogger logger, long clientId, Exception exception);

    [LoggerMessage(45, LogLevel.Error,
        "The connection of client {ClientId} ends without its replies: what they tell could not be made durable")]
    public static partial void RepliesNotDurable(ILogger logger, long clientId, Exception exception);

    [LoggerMessage(8, LogLevel.Error, "The connection of client {ClientId} ended by a fault of the server")]
    public static partial void ConnectionFailed(ILogger logger, long clientId, Exception exception);

    [LoggerMessage(13, LogLevel.Warning, "{Count} clients did not take their last replies in time and were cut off")]
    public static partial void DrainTimedOut(ILogger logger, int count);

    [LoggerMessage(
        28, LogLevel.Warning, "Stopping without the commands of {Count} clients, which take too long: {Commands}")]
    public static partial void CommandsLeft(ILogger logger, int count, string commands);

    [LoggerMessage(
        29, LogLevel.Warning, "{Count} event loops still execute long commands; the stop does not wait for them")]
    public static partial void LoopsLeft(ILogger logger, int count);

    [LoggerMessage(15, LogLevel.Error, "The command {Command} threw")]
    public static partial void CommandThrew(ILogger logger, string command, Exception exception);

    [LoggerMessage(18, LogLevel.Debug, "The TLS handshake of {Address} failed")]
    public static partial void HandshakeFailed(ILogger logger, EndPoint? address, Exception exception);

    [LoggerMessage(19, LogLevel.Information, "TLS uses a new certificate: {Subject}")]
    public static partial void CertificateReloaded(ILogger logger, string subject);

    [LoggerMessage(20, LogLevel.Warning, "TLS keeps its certificate: the changed files cannot be used: {Problem}")]
    public static partial void CertificateRefused(ILogger logger, string problem);

    [LoggerMessage(23, LogLevel.Information, "TLS keeps its certificate: the files are unchanged")]
    public static partial void CertificateUnchanged(ILogger logger);

    [LoggerMessage(24, LogLevel.Information, "Users of {Path}: reloaded")]
    public static partial void UsersReloaded(ILogger logger, string path);

    [LoggerMessage(25, LogLevel.Information, "Users of {Path}: unchanged")]
    public static partial void UsersUnchanged(ILogger logger, string path);

    [LoggerMessage(
        26, LogLevel.Warning, "Users of {Path}: not reloaded, the file is wrong: {Problem}")]
    public static partial void UsersRefused(ILogger logger, string path, string problem);

    [LoggerMessage(50, LogLevel.Information, "Slots of {Path}: reloaded")]
    public static partial void MapReloaded(ILogger logger, string path);

    [LoggerMessage(51, LogLevel.Information, "Slots of {Path}: unchanged")]
    public static partial void MapUnchanged(ILogger logger, string path);

    [LoggerMessage(52, LogLevel.Warning, "Slots of {Path}: not reloaded, the map {Problem}")]
    public static partial void MapRefused(ILogger logger, string path, string problem);

    [LoggerMessage(27, LogLevel.Warning, "The store was disposed while the server ran: the server stops")]
    public static partial void StoreWasDisposed(ILogger logger);

    [LoggerMessage(41, LogLevel.Warning, "Client {Address} sent SHUTDOWN: the program is asked to stop")]
    public static partial void ShutdownRequested(ILogger logger, string address);

    [LoggerMessage(44, LogLevel.Error, "SHUTDOWN: the program could not be asked to stop; the server serves on")]
    public static partial void ShutdownFailed(ILogger logger, Exception exception);

    [LoggerMessage(46, LogLevel.Information, "Administrators are answered on {Path}")]
    public static partial void AdminSocketOpened(ILogger logger, string path);

    [LoggerMessage(47, LogLevel.Error, "The admin socket {Path} failed; it continues")]
    public static partial void AdminSocketFailed(ILogger logger, string path, Exception exception);

    [LoggerMessage(
        48, LogLevel.Warning, "The admin socket {Path} ended a client whose command does not end: {Command}")]
    public static partial void AdminCommandLate(ILogger logger, string path, string command);

    [LoggerMessage(49, LogLevel.Warning, "Client {Address} takes the unsafe action {Action}: {Reason}")]
    public static partial void UnsafeAction(ILogger logger, string address, string action, string reason);

    [LoggerMessage(53, LogLevel.Debug, "A script: {Text}")]
    public static partial void ScriptSaidInDetail(ILogger logger, string text);

    [LoggerMessage(54, LogLevel.Information, "A script: {Text}")]
    public static partial void ScriptSaid(ILogger logger, string text);

    [LoggerMessage(55, LogLevel.Warning, "A script: {Text}")]
    public static partial void ScriptWarned(ILogger logger, string text);

    [LoggerMessage(14, LogLevel.Information, "Stopped")]
    public static partial void Stopped(ILogger logger);

    [LoggerMessage(
        16, LogLevel.Warning, "At most {Lowered} clients, not {MaxClients}: the limit of open files allows no more")]
    public static partial void MaxClientsLowered(ILogger logger, int maxClients, int lowered);

    [LoggerMessage(30, LogLevel.Warning, "Client {Address} {Event}{Repeats}")]
    public static partial void LimitMet(ILogger logger, string address, string @event, string repeats);
}
