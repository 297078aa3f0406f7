using System.Runtime.InteropServices;
using System.Text;
using Cache.Durability;
using Cache.Server.Commands.Table;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Redis's errors while files are loaded, or cannot be written.</summary>
internal static class DurabilityRefusal
{
    // The system's names of errors.
    private const int ErrorNumberMax = 4095;

    private static readonly byte[] _loading = "LOADING Redis is loading the dataset in memory"u8.ToArray();

    private static readonly byte[] _afterSnapshot = Encoding.ASCII.GetBytes(
        "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands "
        + "that may modify the data set are disabled, because this instance is configured to report errors during "
        + "writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for "
        + "details about the RDB error.");

    /// <summary>The present error of a command; null: it may run.</summary>
    public static byte[]? Find(CommandDefinition command, CacheDurability durability) =>
        Find(command, (command.Flags & CommandFlags.Write) != 0, durability);

    /// <summary>The same of a command whose flags do not say whether it writes.</summary>
    /// <param name="command">The command.</param>
    /// <param name="writes">Whether it may change entries.</param>
    /// <param name="durability">Keeps the store on disk.</param>
    public static byte[]? Find(CommandDefinition command, bool writes, CacheDurability durability)
    {
        if (durability.IsLoading)
            return (command.Flags & CommandFlags.Loading) != 0 ? null : _loading;
        if (!writes && command.Name != "ping")
            return null;
        if (durability.RefusesAfterFailedSave)
            return _afterSnapshot;
        return durability.IsSuspended ? OfJournal(durability) : null;
    }

    /// <summary>The error of a write while the journal cannot be written.</summary>
    public static byte[] OfJournal(CacheDurability durability)
    {
        string reason = durability.Failure is { } failure ? ReasonOf(failure) : "Input/output error";
        return Encoding.UTF8.GetBytes($"MISCONF Errors writing to the AOF file: {reason}");
    }

    // As the system names its errors.
    private static string ReasonOf(IOException failure) =>
        failure.HResult is > 0 and <= ErrorNumberMax
            ? Marshal.GetPInvokeErrorMessage(failure.HResult)
            : failure.Message.ReplaceLineEndings(" ");
}
