using System.Text.Json;
using Cache.Server.Clients;

namespace Cache.Server.Package;

/// <summary>The clients, as CLIENT LIST has them; addresses, names and users by numbers.</summary>
internal static class PackageClients
{
    // Those that connected first: 4 MB.
    private const int ClientsMax = 10_000;

    public static void Write(Utf8JsonWriter json, PackageSource source)
    {
        var clients = source.Server.Clients.ToList();
        json.WriteStartObject();
        json.WriteNumber("connected", clients.Count);
        json.WriteStartArray("clients");
        for (int i = 0; i < Math.Min(clients.Count, ClientsMax); i++)
            Write(json, clients[i], source);
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, ClientSession client, PackageSource source)
    {
        var names = source.Names;
        long now = source.Server.NowMs;
        json.WriteStartObject();
        json.WriteNumber("id", client.Id);
        json.WriteString("host", names.OfAddress(client.EndPoints.Remote));
        json.WriteString("name", names.OfClient(client.Name));
        json.WriteString("user", names.OfUser(client.User.Name));
        json.WriteString("library", names.OfLibrary(client.LibraryName));
        json.WriteNumber("age-ms", now - client.ConnectedAtMs);
        json.WriteNumber("idle-ms", now - client.LastInteractionMs);
        json.WriteNumber("db", client.Database);
        json.WriteString("command", client.LastCommand?.Name ?? "");
        json.WriteNumber("resp", client.ProtocolVersion);
        json.WriteBoolean("blocked", client.IsBlocked);
        json.WriteBoolean("monitor", client.IsMonitor);
        json.WriteBoolean("subscribed", client.IsSubscriber);
        json.WriteBoolean("tracking", client.Tracking is not null);
        json.WriteNumber("queued", client.IsQueueing ? client.Transaction?.QueuedCount ?? 0 : -1);
        json.WriteNumber("watched", client.Transaction?.WatchedCount ?? 0);
        json.WriteNumber("input-pending", client.PendingInputBytes);
        json.WriteNumber("output-pending", client.UnreadBytes);
        json.WriteNumber("memory", ClientMemory.IdleClientBytes + client.HeldBytes);
        json.WriteNumber("input-bytes", client.InputBytes);
        json.WriteNumber("output-bytes", client.OutputBytes);
        json.WriteNumber("commands", client.Commands);
        json.WriteEndObject();
    }
}
