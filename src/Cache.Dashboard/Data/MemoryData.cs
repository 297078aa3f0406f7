using System.Text.Json;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Metrics;

namespace Cache.Dashboard.Data;

/// <summary>What the memory of the process is used for.</summary>
internal static class MemoryData
{
    public static void Write(Utf8JsonWriter json, ServerState server)
    {
        var figures = MemoryFigures.Of(server);
        var store = server.Store.GetStatistics();
        long heap = RuntimeMetrics.HeapCommittedBytes;
        json.WriteNumber("used", figures.UsedBytes);
        json.WriteNumber("peak", figures.PeakBytes);
        json.WriteNumber("limit", figures.LimitBytes);
        json.WriteNumber("resident", figures.ResidentBytes);
        json.WriteNumber("perKey", figures.BytesPerKey);
        json.WriteNumber("keys", figures.Keys);
        json.WriteNumber("fragmentation", figures.FragmentationRatio);
        json.WriteNumber("compressedKeys", store.CompressedCount);
        json.WriteNumber("compressedSaved", store.CompressedValueBytes - store.CompressedBytes);
        json.WriteString("judgement", figures.Judge().Trim());
        json.WriteStartArray("kinds");
        long known = figures.UsedBytes + heap;
        WriteKind(json, "Entries", figures.DatasetBytes, "keys, values, and what the store keeps about them");
        WriteKind(json, "Empty store", figures.StartBytes, "what the store held before its first entry");
        WriteKind(json, "Clients", figures.ClientBytes, "requests that are read, replies that are not taken");
        WriteKind(json, "Managed heap", heap, "objects of the runtime and the application");
        WriteKind(
            json, "Rest of the process", Math.Max(0, figures.ResidentBytes - known),
            "code, stacks, and what the runtime keeps besides");
        json.WriteEndArray();
        json.WriteStartArray("collections");
        for (int i = 0; i <= GC.MaxGeneration; i++)
            json.WriteNumberValue(GC.CollectionCount(i));
        json.WriteEndArray();
        json.WriteNumber("pauseMilliseconds", GC.GetTotalPauseDuration().TotalMilliseconds);
    }

    private static void WriteKind(Utf8JsonWriter json, string name, long bytes, string meaning)
    {
        json.WriteStartObject();
        json.WriteString("name", name);
        json.WriteNumber("bytes", bytes);
        json.WriteString("meaning", meaning);
        json.WriteEndObject();
    }
}
