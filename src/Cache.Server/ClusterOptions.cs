using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using Cache.Server.Cluster;
using Cache.Server.Settings;

namespace Cache.Server;

/// <summary>Reads the map of a cluster, and finds this server in it.</summary>
internal static class ClusterOptions
{
    /// <summary>The cluster that the options describe.</summary>
    /// <param name="kept">The directives that were given, which <see cref="RespServerOptions"/> keeps.</param>
    /// <param name="ports">The ports that clients connect to.</param>
    /// <param name="needsAll">Reads whether each slot must have an owner.</param>
    /// <param name="problems">Receives a sentence for each mistake.</param>
    /// <returns>Null if there is none, or a mistake.</returns>
    public static ClusterState? Read(
        IReadOnlyDictionary<string, string> kept, IReadOnlyList<int?> ports, Func<bool> needsAll, List<string> problems)
    {
        if (!Given(kept, ClusterDirectives.Enabled).Equals("yes", StringComparison.OrdinalIgnoreCase))
            return null;
        string line = Given(kept, ClusterDirectives.Nodes);
        string? file = line.Length > 0 ? null : FileOf(kept);
        string? problem;
        var map = file is null ? SlotMapText.TryRead(line, out problem) : TryReadFile(file, out problem);
        string source = file is null
            ? $"{ClusterDirectives.Nodes} '{line}'"
            : $"{ClusterDirectives.MapFile} '{Path.GetFullPath(file)}'";
        if (map is null)
        {
            problems.Add($"{source} {problem}.");
            return null;
        }

        var self = FindSelf(kept, ports, map, source, problems);
        return self is null
            ? null
            : new ClusterState(self, map, file is null ? null : Path.GetFullPath(file), needsAll);
    }

    /// <summary>Reads a file of a map.</summary>
    /// <param name="path">Its path.</param>
    /// <param name="problem">Why it cannot be read, or what is wrong with it; null: nothing.</param>
    public static SlotMap? TryReadFile(string path, out string? problem)
    {
        try
        {
            if (new FileInfo(path).Length <= SlotMapJson.BytesMax)
                return SlotMapJson.TryRead(File.ReadAllBytes(path), out problem);
            problem = $"has more than {SlotMapJson.BytesMax} bytes";
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            problem = $"cannot be read: {failure.Message.TrimEnd('.')}";
        }

        return null;
    }

    private static string FileOf(IReadOnlyDictionary<string, string> kept) =>
        Given(kept, ClusterDirectives.MapFile) is { Length: > 0 } path ? path : ClusterDirectives.MapFileDefault;

    private static string Given(IReadOnlyDictionary<string, string> kept, string directive) =>
        kept.FirstOrDefault(one => one.Key.Equals(directive, StringComparison.OrdinalIgnoreCase)).Value ?? "";

    private static ShardNode? FindSelf(
        IReadOnlyDictionary<string, string> kept, IReadOnlyList<int?> ports, SlotMap map, string source,
        List<string> problems)
    {
        string given = Given(kept, ClusterDirectives.Self);
        if (given.Length > 0)
        {
            if (!ShardNode.TryParse(given, out var named))
                problems.Add($"{ClusterDirectives.Self} is '{given}'; it must be a host:port.");
            else if (map.IndexOf(named) == SlotMap.Nobody)
                problems.Add($"{ClusterDirectives.Self} is '{given}'; {source} does not name it.");
            else
                return named;
            return null;
        }

        var own = map.Nodes.Where(node => IsOwn(node, ports)).ToList();
        if (own.Count == 1)
            return own[0];
        string found = own.Count == 0 ? "none of its servers" : string.Join(" and ", own);
        problems.Add(
            $"{source}: this server could be {found}, by its port and the names and addresses of this machine; "
            + $"{ClusterDirectives.Self} must say which it is.");
        return null;
    }

    // No name is looked up: an answer that comes and goes would decide which slots a server owns.
    private static bool IsOwn(ShardNode node, IReadOnlyList<int?> ports)
    {
        if (!ports.Contains(node.Port))
            return false;
        if (IPAddress.TryParse(node.Host, out var address))
            return IsOwn(address);
        string name = Dns.GetHostName();
        return node.Host == "localhost" || node.Host.Equals(name, StringComparison.OrdinalIgnoreCase)
            || node.Host.StartsWith(name + ".", StringComparison.OrdinalIgnoreCase);
    }

    private static bool IsOwn(IPAddress address)
    {
        if (IPAddress.IsLoopback(address))
            return true;
        try
        {
            return NetworkInterface.GetAllNetworkInterfaces()
                .SelectMany(static one => one.GetIPProperties().UnicastAddresses)
                .Any(one => one.Address.Equals(address));
        }
        catch (Exception failure) when (failure is NetworkInformationException or SocketException)
        {
            return false;
        }
    }
}
