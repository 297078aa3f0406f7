using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>What the resident memory of the process is used for.</summary>
/// <remarks>
/// The store and the clients by their own counts, the collector by what it has committed besides what is counted there,
/// files and compiled code by what the kernel says, native code by what the C library has taken. What the runtime has
/// mapped for itself is known from the start of the server, when there was little else.
/// </remarks>
internal static class MemoryKinds
{
    private static readonly string[] _generations = ["gen0", "gen1", "gen2", "large", "pinned"];

    // The last of these whose arrays may be buffers and messages of clients.
    private const int LargeArrays = 3;

    /// <summary>The kinds and their bytes; the last one is what the others do not explain.</summary>
    public static List<(string Name, long Bytes)> Of(ServerState server)
    {
        var process = ProcessMemory.Read();
        var kinds = new List<(string Name, long Bytes)>();
        var store = server.Store.GetMemory();
        AddStore(kinds, store);
        long managed = AddClients(kinds, store.Outside, server);
        long journal = Math.Min(process.Shared, server.Durability?.SharedStagingBytes ?? 0);
        kinds.Add(("journal", journal));
        AddHeap(kinds, managed);
        kinds.Add(("runtime.files", process.Files));
        kinds.Add(("runtime.compiled", process.Shared - journal));
        kinds.Add(("runtime.native", process.Allocated));
        kinds.Add(("runtime.base", server.RuntimeBaseBytes));
        long sum = 0;
        foreach (var (_, bytes) in kinds)
            sum += bytes;
        long resident = process.Resident > 0 ? process.Resident : Environment.WorkingSet;
        kinds.Insert(0, ("resident", resident));
        kinds.Add(("unexplained", resident - sum));
        return kinds;
    }

    /// <summary>What is resident at the start, and that nothing else accounts for.</summary>
    public static long FindRuntimeBase(ServerState server)
    {
        var process = ProcessMemory.Read();
        long anonymous = process.Resident > 0 ? process.Anonymous - process.Allocated : Environment.WorkingSet;
        var store = server.Store.GetMemory();
        long ofStore = store.Index + store.Ghosts + store.Records + store.Dead + store.Blocks
            + store.Collections + store.Free;
        return Math.Max(0, anonymous - ofStore - HeapBytes());
    }

    private static void AddStore(List<(string Name, long Bytes)> kinds, in StoreMemory store)
    {
        kinds.Add(("store.index", store.Index));
        kinds.Add(("store.ghosts", store.Ghosts));
        kinds.Add(("store.records", store.Records));
        kinds.Add(("store.dead", store.Dead));
        kinds.Add(("store.large", store.Blocks));
        kinds.Add(("store.collections", store.Collections));
        kinds.Add(("store.free", store.Free));
    }

    // Lent values are the store's. What an idle client holds is objects, which the collector counts.
    /// <returns>What of it is in the runtime's heap, as far as it is known.</returns>
    private static long AddClients(List<(string Name, long Bytes)> kinds, long held, ServerState server)
    {
        long input = 0;
        long idle = 0;
        foreach (var client in server.Clients.ToList())
        {
            input += client.InputMemoryBytes;
            idle += ClientMemory.IdleClientBytes;
        }

        // A message to many counts for each of them, and is in the heap once.
        long heap = HeapBytes();
        long tracking = Math.Min(server.Tracking.Keys.HeldBytes, heap);
        long output = Math.Clamp(held - input - idle - tracking, 0, heap - tracking);
        kinds.Add(("clients.input", input));
        kinds.Add(("clients.output", output));
        kinds.Add(("clients.tracking", tracking));
        return output + tracking;
    }

    private static void AddHeap(List<(string Name, long Bytes)> kinds, long toldElsewhere)
    {
        var generations = GC.GetGCMemoryInfo(GCKind.Any).GenerationInfo;
        long[] sizes = new long[Math.Min(generations.Length, _generations.Length)];
        long unused = HeapBytes();
        for (int i = 0; i < sizes.Length; i++)
        {
            sizes[i] = generations[i].SizeAfterBytes;
            unused -= sizes[i];
        }

        unused = Math.Max(0, unused);

        // The collector knows the generations as its last collection left them: what came later it calls unused.
        toldElsewhere -= Take(ref unused, toldElsewhere);
        for (int i = Math.Min(LargeArrays, sizes.Length - 1); i >= 0; i--)
            toldElsewhere -= Take(ref sizes[i], toldElsewhere);
        for (int i = 0; i < sizes.Length; i++)
            kinds.Add(("heap." + _generations[i], sizes[i]));
        kinds.Add(("heap.unused", unused));
    }

    private static long Take(ref long from, long bytes)
    {
        long taken = Math.Min(from, bytes);
        from -= taken;
        return taken;
    }

    // Before the first collection only the second one is known.
    private static long HeapBytes() => Math.Max(
        GC.GetGCMemoryInfo(GCKind.Any).TotalCommittedBytes, GC.GetTotalMemory(forceFullCollection: false));
}
