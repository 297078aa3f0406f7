using Cache.Durability;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>CONFIG SET of the directives for durability.</summary>
internal static class DurabilityChanges
{
    /// <summary>Begins or ends the journal; it begins with a snapshot, written while clients are served.</summary>
    public static ConfigChange PrepareAppendOnly(ServerState server, string text)
    {
        bool isRecording = text == "yes";
        if (server.Durability is not { } durability)
        {
            return isRecording
                ? ConfigChange.Refused("this server keeps nothing on disk")
                : ConfigChange.To(static _ => { });
        }

        return ConfigChange.Tried(_ => TryRecord(durability, isRecording), "Unable to turn on AOF. Check server logs.");
    }

    public static ConfigChange PrepareSave(ServerState server, string text) => ConfigChange.Tried(
        state => TrySetPoints(state, text), "Unable to use the folder of snapshots. Check server logs.");

    private static bool TryRecord(CacheDurability durability, bool isRecording) => durability.TryRecord(isRecording);

    private static bool TrySetPoints(ServerState server, string text)
    {
        if (server.Durability is { } durability
            && !durability.TrySetSavePoints(DurabilityDirectives.SavePointsOf(text)))
        {
            return false;
        }

        server.Settings.Kept[DurabilityDirectives.Save] = text;
        return true;
    }
}
