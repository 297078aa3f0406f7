using System.Text.Json;
using Cache.Dashboard.Live;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Settings;

namespace Cache.Dashboard.Data;

/// <summary>What the server is.</summary>
internal static class ServerData
{
    public static void Write(Utf8JsonWriter json, ServerState server)
    {
        json.WriteString("version", ServerState.Version);
        json.WriteString("redisVersion", ServerState.RedisVersion);
        json.WriteString("machine", Environment.MachineName);
        json.WriteNumber("process", Environment.ProcessId);
        json.WriteNumber("processors", Environment.ProcessorCount);
        json.WriteString("state", LiveSampler.StateOf(server));
        json.WriteNumber("uptime", (server.NowMs - server.StartedAtMs) / 1000);
        json.WriteNumber("port", server.Settings.Port != 0 ? server.Settings.Port : server.Settings.TlsPort);
        json.WriteString("policy", EvictionPolicyName.Of(server.Store.Eviction, server.Settings.MaxMemoryPolicy));
        json.WriteNumber("clientsMax", server.Settings.MaxClients);
        json.WriteStartArray("databases");
        for (int i = 0; i < server.Databases.Count; i++)
        {
            var keyspace = server.Databases[i];
            if (keyspace.Count == 0 && i > 0)
                continue;
            json.WriteStartObject();
            json.WriteNumber("number", i);
            json.WriteNumber("keys", keyspace.Count);
            json.WriteNumber("expiring", keyspace.ExpiringCount);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
