using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>What FUNCTION LIST and FUNCTION STATS tell.</summary>
/// <param name="Pattern">Of the names of libraries; null: all.</param>
/// <param name="HasCode">Whether their texts are told.</param>
internal readonly record struct FunctionList(byte[]? Pattern, bool HasCode)
{
    private static ReadOnlySpan<byte> Engine => "LUA"u8;

    /// <summary>Reads the options of FUNCTION LIST; false: the error is written.</summary>
    public static bool TryParse(in RespRequest request, RespReplyWriter reply, out FunctionList list)
    {
        list = default;
        for (int i = 2; i < request.Count; i++)
        {
            if (!list.HasCode && request[i].Is("WITHCODE"u8))
            {
                list = list with { HasCode = true };
            }
            else if (list.Pattern is not null || !request[i].Is("LIBRARYNAME"u8))
            {
                reply.Error([.. "ERR Unknown argument "u8, .. request[i].UpToNul()]);
                return false;
            }
            else if (++i == request.Count)
            {
                reply.Error("ERR library name argument was not given"u8);
                return false;
            }
            else
            {
                list = list with { Pattern = request[i].ToArray() };
            }
        }

        return true;
    }

    public void Write(FunctionTable table, RespReplyWriter reply)
    {
        var told = new List<FunctionLibrary>();
        var pattern = new GlobPattern(Pattern ?? "*"u8, ignoreCase: true);
        foreach (var library in table.Libraries)
        {
            if (pattern.IsMatch(Encoding.ASCII.GetBytes(library.Name)))
                told.Add(library);
        }

        reply.ArrayHeader(told.Count);
        foreach (var library in told)
            Write(library, reply);
    }

    /// <summary>Writes the reply of FUNCTION STATS.</summary>
    public static void WriteStatistics(FunctionTable table, RunningFunction running, RespReplyWriter reply)
    {
        reply.MapHeader(2);
        reply.Bulk("running_script"u8);
        if (running.TryDescribe(out string name, out byte[][] command, out var duration))
        {
            reply.MapHeader(3);
            reply.Bulk("name"u8);
            reply.Bulk(Encoding.ASCII.GetBytes(name));
            reply.Bulk("command"u8);
            reply.ArrayHeader(command.Length);
            foreach (byte[] argument in command)
                reply.Bulk(argument);
            reply.Bulk("duration_ms"u8);
            reply.Integer((long)duration.TotalMilliseconds);
        }
        else
        {
            reply.Null();
        }

        reply.Bulk("engines"u8);
        reply.MapHeader(1);
        reply.Bulk(Engine);
        reply.MapHeader(2);
        reply.Bulk("libraries_count"u8);
        reply.Integer(table.Libraries.Count);
        reply.Bulk("functions_count"u8);
        reply.Integer(table.FunctionCount);
    }

    private void Write(FunctionLibrary library, RespReplyWriter reply)
    {
        reply.MapHeader(HasCode ? 4 : 3);
        reply.Bulk("library_name"u8);
        reply.Bulk(Encoding.ASCII.GetBytes(library.Name));
        reply.Bulk("engine"u8);
        reply.Bulk(Engine);
        reply.Bulk("functions"u8);
        reply.ArrayHeader(library.Functions.Count);
        foreach (var function in library.Functions)
            Write(function, reply);
        if (!HasCode)
            return;
        reply.Bulk("library_code"u8);
        reply.Bulk(library.Code);
    }

    private static void Write(FunctionInfo function, RespReplyWriter reply)
    {
        reply.MapHeader(3);
        reply.Bulk("name"u8);
        reply.Bulk(Encoding.ASCII.GetBytes(function.Name));
        reply.Bulk("description"u8);
        if (function.Description is { } description)
            reply.Bulk(description);
        else
            reply.Null();
        reply.Bulk("flags"u8);
        reply.SetHeader(System.Numerics.BitOperations.PopCount((uint)function.Flags));
        for (int i = 0; i < ScriptFlagNames.All.Count; i++)
        {
            if (((int)function.Flags & 1 << i) != 0)
                reply.SimpleString(Encoding.ASCII.GetBytes(ScriptFlagNames.All[i]));
        }
    }
}
