using System.Text;
using Cache.Durability;
using Cache.Durability.Dumps;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>Functions beside the files of a store: written before they change, and loaded with the store.</summary>
internal static class KeptFunctions
{
    /// <summary>Lets the files keep the functions of a server that has not started.</summary>
    public static void Attach(ServerState server, CacheDurability durability)
    {
        if (server.Functions is not { } functions)
            return; // Those of an earlier process stay as they are.
        functions.Saving = table => durability.KeepFunctions(DumpedFunctions.Make(table.Codes));
        durability.FunctionsLoaded = payload => Load(server, functions, payload);
    }

    /// <summary>Loads what was loaded from the files before this server was made.</summary>
    /// <exception cref="IOException">They cannot be loaded.</exception>
    public static void Load(ServerState server, CacheDurability durability)
    {
        if (server.Functions is { } functions && durability.Functions is { } loaded)
            Load(server, functions, loaded);
    }

    private static void Load(ServerState server, ServerFunctions functions, byte[] payload)
    {
        string? problem = DumpedFunctions.Read(payload, ServerFunctions.CodeBytesMax, out var codes);
        if (problem is null && functions.TryLoadKept(codes, server.ScriptLogged) is { } error)
            problem = Encoding.Latin1.GetString(error);
        if (problem is not null)
        {
            throw new IOException(
                $"the functions in the file FUNCTIONS cannot be loaded: {problem}. Without the file the server starts "
                + "without functions.");
        }
    }
}
