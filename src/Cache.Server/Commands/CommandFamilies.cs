using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Bits;
using Cache.Server.Commands.Cluster;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Geo;
using Cache.Server.Commands.Hashes;
using Cache.Server.Commands.HyperLogLogs;
using Cache.Server.Commands.Keys;
using Cache.Server.Commands.Lists;
using Cache.Server.Commands.Migration;
using Cache.Server.Commands.PubSub;
using Cache.Server.Commands.Scripts;
using Cache.Server.Commands.Session;
using Cache.Server.Commands.Sorting;
using Cache.Server.Commands.Sets;
using Cache.Server.Commands.SortedSets;
using Cache.Server.Commands.Streams;
using Cache.Server.Commands.Strings;
using Cache.Server.Commands.Table;
using Cache.Server.Commands.Transactions;
using Cache.Server.Keyspace;
using Cache.Server.Package;

namespace Cache.Server.Commands;

/// <summary>All families of commands: a family is one static class that lists its <c>Bindings</c>.</summary>
internal static class CommandFamilies
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        .. ConnectionCommands.Bindings,
        .. AuthenticationCommands.Bindings,
        .. AclCommands.Bindings,
        .. AclUserCommands.Bindings,
        .. ClientCommands.Bindings,
        .. TrackingCommands.Bindings,
        .. ClientListCommands.Bindings,
        .. ClientPauseCommands.Bindings,
        .. ConfigCommands.Bindings,
        .. CommandCommands.Bindings,
        .. InfoCommand.Bindings,
        .. ServerCommands.Bindings,
        .. ReplicationCommands.Bindings,
        .. WaitAofCommand.Bindings,
        .. SaveCommands.Bindings,
        .. ShutdownCommand.Bindings,
        .. DebugCommand.Bindings,
        .. SlowLogCommands.Bindings,
        .. CommandLogCommands.Bindings,
        .. LatencyCommands.Bindings,
        .. MemoryCommands.Bindings,
        .. HotKeyCommands.Bindings,
        .. CacheCommands.Bindings,
        .. KeyFigureCommands.Bindings,
        .. PackageCommand.Bindings,
        .. UnsafeCommand.Bindings,
        .. MonitorCommand.Bindings,
        .. AbsentFeatureCommands.Bindings,
        .. ClusterCommands.Bindings,
        .. MapCommand.Bindings,
        .. StringReadCommands.Bindings,
        .. StringWriteCommands.Bindings,
        .. CounterCommands.Bindings,
        .. LcsCommand.Bindings,
        .. BitCommands.Bindings,
        .. BitFieldCommands.Bindings,
        .. BitOpCommand.Bindings,
        .. HashReadCommands.Bindings,
        .. HashWriteCommands.Bindings,
        .. HashRandomCommand.Bindings,
        .. HashExpiryCommands.Bindings,
        .. HashTakeCommands.Bindings,
        .. ListReadCommands.Bindings,
        .. ListWriteCommands.Bindings,
        .. ListTakeCommands.Bindings,
        .. ListPops.Bindings,
        .. BlockingMoveCommands.Bindings,
        .. HyperLogLogCommands.Bindings,
        .. HyperLogLogDebugCommands.Bindings,
        .. SortCommands.Bindings,
        .. SetReadCommands.Bindings,
        .. SetWriteCommands.Bindings,
        .. SetCombinationCommands.Bindings,
        .. SortedSetReadCommands.Bindings,
        .. SortedSetRangeCommands.Bindings,
        .. SortedSetWriteCommands.Bindings,
        .. SortedSetPops.Bindings,
        .. SortedSetCombinationCommands.Bindings,
        .. GeoCommands.Bindings,
        .. GeoSearchCommands.Bindings,
        .. SubscribeCommands.Bindings,
        .. PublishCommands.Bindings,
        .. StreamReadCommands.Bindings,
        .. StreamWriteCommands.Bindings,
        .. XReadCommand.Bindings,
        .. XReadGroupCommand.Bindings,
        .. XGroupCommands.Bindings,
        .. AcknowledgeCommands.Bindings,
        .. ClaimCommands.Bindings,
        .. XInfoCommands.Bindings,
        .. KeyCommands.Bindings,
        .. DumpCommands.Bindings,
        .. MigrateCommand.Bindings,
        .. ObjectCommands.Bindings,
        .. ExpiryCommands.Bindings,
        .. ScanCommands.Bindings,
        .. TransactionCommands.Bindings,
        .. ScriptCommands.Bindings,
        .. FunctionCommands.Bindings,
    ];

    /// <summary>The methods of the table's commands.</summary>
    public static CommandHandlers Handlers { get; } = CommandBinding.Bind(CommandTable.Default, Bindings);
}
