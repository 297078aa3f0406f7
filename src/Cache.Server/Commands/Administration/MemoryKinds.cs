using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Administration;

/// <summary>What the resident memory of the process is used for.</summary>
internal static class MemoryKinds
{
    private static readonly string[] _generations = ["gen0", "gen1", "gen2", "large", "pinned"];

    /// <summary>The kinds and their bytes; the last one is what the others do not explain.</summary>
    public static List<(string Name, long Bytes)> Of(ServerState server)
    {
        var store = server.Store.GetStatistics();
        long clients = server.ClientMemory.Bytes;
        var collector = GC.GetGCMemoryInfo(GCKind.Any);
        var kinds = new List<(string Name, long Bytes)>
        {
            ("store.entries", Math.Max(0, store.MemoryBytes - server.StoreBytesAtStart - clients)),
            ("store.fixed", server.StoreBytesAtStart),
            ("clients", clients),
        };
        long heap = 0;
        var generations = collector.GenerationInfo;
        for (int i = 0; i < Math.Min(generations.Length, _generations.Length); i++)
        {
            kinds.Add(("heap." + _generations[i], generations[i].SizeAfterBytes));
            heap += generations[i].SizeAfterBytes;
        }

        kinds.Add(("heap.unused", Math.Max(0, collector.TotalCommittedBytes - heap)));
        kinds.Add(("runtime", Math.Max(0, server.ProcessBaseBytes - server.HeapBytesAtStart)));
        long sum = 0;
        foreach (var (_, bytes) in kinds)
            sum += bytes;
        long resident = Environment.WorkingSet;
        kinds.Insert(0, ("resident", resident));
        kinds.Add(("unexplained", resident - sum));
        return kinds;
    }
}
