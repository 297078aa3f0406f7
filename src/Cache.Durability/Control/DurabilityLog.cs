using Microsoft.Extensions.Logging;

namespace Cache.Durability.Control;

/// <summary>Log messages about the files.</summary>
internal static partial class DurabilityLog
{
    [LoggerMessage(1, LogLevel.Debug, "{Directory} has no files of a store: nothing is loaded, nothing is kept")]
    public static partial void NothingKept(ILogger logger, string directory);

    [LoggerMessage(2, LogLevel.Information, "Loading {Directory}")]
    public static partial void Loading(ILogger logger, string directory);

    [LoggerMessage(3, LogLevel.Information, "Loading: {LoadedBytes} of {TotalBytes} bytes, {Records} records")]
    public static partial void Progress(ILogger logger, long loadedBytes, long totalBytes, long records);

    [LoggerMessage(4, LogLevel.Information, "Loaded {Records} records, {Entries} entries, in {Seconds:F3} seconds")]
    public static partial void Loaded(ILogger logger, long records, long entries, double seconds);

    [LoggerMessage(5, LogLevel.Warning, "{Directory}: {Note}")]
    public static partial void StartNote(ILogger logger, string directory, string note);

    [LoggerMessage(6, LogLevel.Information, "A snapshot of {Bytes} bytes is durable")]
    public static partial void Saved(ILogger logger, long bytes);

    [LoggerMessage(7, LogLevel.Error, "The snapshot could not be written, the files before still count: {Problem}")]
    public static partial void SaveFailed(ILogger logger, string problem);

    [LoggerMessage(8, LogLevel.Error,
        "The journal cannot be written, writes are {Consequence}; new files are tried every ten seconds: {Problem}")]
    public static partial void Suspended(ILogger logger, string problem, string consequence);

    [LoggerMessage(9, LogLevel.Warning, "The journal is written again: new files hold what the store holds")]
    public static partial void Healed(ILogger logger);

    [LoggerMessage(11, LogLevel.Error, "What is kept on disk stays as it was: {Problem}")]
    public static partial void ChangeFailed(ILogger logger, string problem);

    [LoggerMessage(12, LogLevel.Warning, "{Directory} has files of Redis too: they are not read, and stay as they are")]
    public static partial void RedisFiles(ILogger logger, string directory);

    [LoggerMessage(13, LogLevel.Error,
        "{Path} cannot be deleted: the next start will load nothing either. Delete it. {Problem}")]
    public static partial void MarkerStays(ILogger logger, string path, string problem);

    [LoggerMessage(10, LogLevel.Error, "The files could not be closed; the next start may lack changes: {Problem}")]
    public static partial void NotClosed(ILogger logger, string problem);
}
