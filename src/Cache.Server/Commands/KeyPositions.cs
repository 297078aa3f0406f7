using System.Text.Json;
using Cache.Server.Protocol;

namespace Cache.Server.Commands;

/// <summary>Finds the arguments of a request that are keys, by the table's key specifications.</summary>
internal static class KeyPositions
{
    /// <summary>Whether such a command has keys at all.</summary>
    public static bool HasKeys(CommandDefinition command) => command.Row.GetProperty("keySpecs").GetArrayLength() > 0;

    /// <summary>The keys in the order of the specifications.</summary>
    /// <param name="command">The command.</param>
    /// <param name="request">A request that holds the command's words from an index on.</param>
    /// <param name="start">That index.</param>
    public static List<KeyPosition> Find(CommandDefinition command, in RespRequest request, int start)
    {
        var keys = new List<KeyPosition>();
        int count = request.Count - start;
        foreach (var specification in command.Row.GetProperty("keySpecs").EnumerateArray())
        {
            var flags = specification.GetProperty("flags");
            var range = specification.GetProperty("find_keys").GetProperty("spec");
            int first = specification.GetProperty("begin_search").GetProperty("spec").GetProperty("index").GetInt32();
            int last = LastOf(range, first, count);
            int step = range.GetProperty("keystep").GetInt32();
            for (int i = first; i <= last && i < count; i += step)
                keys.Add(new KeyPosition(start + i, FlagsOf(flags, request, start)));
        }

        return keys;
    }

    // A last key below 0 counts from the end; a limit above 1 then leaves out the rest behind that part of it.
    private static int LastOf(JsonElement range, int first, int count)
    {
        int last = range.GetProperty("lastkey").GetInt32();
        int limit = range.GetProperty("limit").GetInt32();
        if (last >= 0)
            return first + last;
        return limit <= 1 ? count + last : first + ((count - first) / limit) + last;
    }

    // SET alone has flags that vary: it reads the key only if its option GET is there.
    private static string[] FlagsOf(JsonElement flags, in RespRequest request, int start)
    {
        var names = new List<string>();
        foreach (var flag in flags.EnumerateArray())
            names.Add(flag.GetString()!);
        if (!names.Remove("variable_flags") || HasGetOption(request, start + 3))
            return [.. names];
        return ["OW", "update"];
    }

    private static bool HasGetOption(in RespRequest request, int first)
    {
        for (int i = first; i < request.Count; i++)
        {
            if (request[i].Is("GET"u8))
                return true;
        }

        return false;
    }
}
