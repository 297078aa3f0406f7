using System.Text.Json;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;

namespace Cache.Dashboard.Data;

/// <summary>The clients: a page of them, sorted.</summary>
internal static class ClientData
{
    /// <summary>The most clients of a page.</summary>
    public const int PageMax = 200;

    /// <param name="json">Gets the members.</param>
    /// <param name="server">The server.</param>
    /// <param name="query">Which page, and in which order.</param>
    public static void Write(Utf8JsonWriter json, ServerState server, ClientQuery query)
    {
        long nowMs = server.NowMs;
        var clients = server.Clients.ToList();
        int connected = clients.Count;
        if (query.Search.Length > 0)
            clients.RemoveAll(client => !Matches(client, query.Search));
        Sort(clients, query, nowMs);
        json.WriteNumber("connected", connected);
        json.WriteNumber("matching", clients.Count);
        json.WriteNumber("offset", query.Offset);
        json.WriteStartArray("clients");
        for (int i = query.Offset; i < Math.Min(clients.Count, query.Offset + query.Count); i++)
            Write(json, clients[i], nowMs);
        json.WriteEndArray();
    }

    private static bool Matches(ClientSession client, string search) =>
        client.EndPoints.Remote.Contains(search, StringComparison.OrdinalIgnoreCase)
        || KeyText.Of(client.Name).Contains(search, StringComparison.OrdinalIgnoreCase)
        || UserOf(client).Contains(search, StringComparison.OrdinalIgnoreCase)
        || (client.LastCommand?.Name ?? "").Contains(search, StringComparison.OrdinalIgnoreCase);

    // By keys that are read once: a client changes meanwhile, and a sort must not see that.
    private static void Sort(List<ClientSession> clients, ClientQuery query, long nowMs)
    {
        var keys = new (IComparable Key, long Id)[clients.Count];
        for (int i = 0; i < keys.Length; i++)
            keys[i] = (KeyOf(clients[i], query.Sort, nowMs), clients[i].Id);
        ClientSession[] sorted = [.. clients];
        Array.Sort(keys, sorted);
        if (query.IsDescending)
            Array.Reverse(sorted);
        clients.Clear();
        clients.AddRange(sorted);
    }

    private static IComparable KeyOf(ClientSession client, string sort, long nowMs) => sort switch
    {
        "address" => client.EndPoints.Remote,
        "name" => KeyText.Of(client.Name),
        "user" => UserOf(client),
        "command" => client.LastCommand?.Name ?? "",
        "database" => client.Database,
        "age" => nowMs - client.ConnectedAtMs,
        "idle" => nowMs - client.LastInteractionMs,
        "input" => client.PendingInputBytes,
        "output" => client.UnreadBytes,
        "memory" => MemoryOf(client),
        _ => client.Id,
    };

    private static string UserOf(ClientSession client) => KeyText.OfLatin1(client.User.Name);

    private static long MemoryOf(ClientSession client) => ClientMemory.IdleClientBytes
        + Math.Max(client.HeldBytes, client.PendingInputBytes + client.PendingOutputBytes);

    private static void Write(Utf8JsonWriter json, ClientSession client, long nowMs)
    {
        json.WriteStartObject();
        json.WriteNumber("id", client.Id);
        json.WriteString("address", client.EndPoints.Remote);
        json.WriteString("name", KeyText.Of(client.Name));
        json.WriteString("user", UserOf(client));
        json.WriteString("library", $"{KeyText.Of(client.LibraryName)} {KeyText.Of(client.LibraryVersion)}".Trim());
        json.WriteNumber("database", client.Database);
        json.WriteNumber("age", Math.Max(0, nowMs - client.ConnectedAtMs) / 1000);
        json.WriteNumber("idle", Math.Max(0, nowMs - client.LastInteractionMs) / 1000);
        json.WriteNumber("input", client.PendingInputBytes);
        json.WriteNumber("output", client.UnreadBytes);
        json.WriteNumber("memory", MemoryOf(client));
        json.WriteString("command", client.LastCommand?.Name ?? "");
        json.WriteBoolean("blocked", client.IsBlocked);
        json.WriteBoolean("subscribed", client.IsSubscriber);
        json.WriteBoolean("tracking", client.Tracking is not null);
        json.WriteBoolean("queueing", client.IsQueueing);
        json.WriteBoolean("monitor", client.IsMonitor);
        json.WriteEndObject();
    }
}
