using System.Text;
using System.Text.Json;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>Writes the table's data of a command as COMMAND INFO and as COMMAND DOCS.</summary>
internal sealed partial class CommandReplies
{
    /// <summary>The ten elements of COMMAND INFO.</summary>
    private static void WriteInfo(RespReplyWriter reply, CommandDefinition command)
    {
        var row = command.Row;
        reply.ArrayHeader(10);
        reply.Bulk(command.NameBytes);
        reply.Integer(command.Arity);
        WriteSet(reply, row.GetProperty("flags"), isStatus: true);
        reply.Integer(command.FirstKey);
        reply.Integer(command.LastKey);
        reply.Integer(command.KeyStep);
        WriteSet(reply, row.GetProperty("acl"), isStatus: true);
        WriteSet(reply, row.GetProperty("tips"), isStatus: false);
        var keys = row.GetProperty("keySpecs");
        reply.SetHeader(keys.GetArrayLength());
        foreach (var key in keys.EnumerateArray())
            WriteMap(reply, key, extraPairs: 0);
        var subcommands = command.Subcommands?.Commands ?? [];
        if (subcommands.Count == 0)
            reply.SetHeader(0); // Redis sends an empty set here, but an array otherwise.
        else
            reply.ArrayHeader(subcommands.Count);
        foreach (var subcommand in subcommands)
            WriteInfo(reply, subcommand);
    }

    /// <summary>The name and the documentation: a pair of the map of COMMAND DOCS.</summary>
    private static void WriteDocs(RespReplyWriter reply, CommandDefinition command)
    {
        var docs = command.Row.GetProperty("docs");
        reply.Bulk(command.NameBytes);
        WriteMap(reply, docs, extraPairs: command.Subcommands is null ? 0 : 1);
        if (command.Subcommands is not { } subcommands)
            return;
        reply.Bulk("subcommands"u8);
        reply.MapHeader(subcommands.Commands.Count);
        foreach (var subcommand in subcommands.Commands)
            WriteDocs(reply, subcommand);
    }

    private static void WriteMap(RespReplyWriter reply, JsonElement map, int extraPairs)
    {
        reply.MapHeader(map.GetPropertyCount() + extraPairs);
        foreach (var property in map.EnumerateObject())
        {
            reply.Bulk(Encoding.UTF8.GetBytes(property.Name));
            WriteValue(reply, property);
        }
    }

    // The name decides which arrays are sets, and of what; the source does not say.
    private static void WriteValue(RespReplyWriter reply, JsonProperty property)
    {
        if (property.Name is "flags" or "doc_flags")
        {
            WriteSet(reply, property.Value, isStatus: true);
            return;
        }

        if (property.Name is "history")
        {
            reply.SetHeader(property.Value.GetArrayLength());
            foreach (var item in property.Value.EnumerateArray())
                WriteElement(reply, item);
            return;
        }

        WriteElement(reply, property.Value);
    }

    private static void WriteElement(RespReplyWriter reply, JsonElement value)
    {
        switch (value.ValueKind)
        {
            case JsonValueKind.Object:
                WriteMap(reply, value, extraPairs: 0);
                break;
            case JsonValueKind.Array:
                reply.ArrayHeader(value.GetArrayLength());
                foreach (var item in value.EnumerateArray())
                    WriteElement(reply, item);
                break;
            case JsonValueKind.Number:
                reply.Integer(value.GetInt64());
                break;
            default:
                reply.Bulk(Encoding.UTF8.GetBytes(value.GetString()!));
                break;
        }
    }

    private static void WriteSet(RespReplyWriter reply, JsonElement texts, bool isStatus)
    {
        reply.SetHeader(texts.GetArrayLength());
        foreach (var text in texts.EnumerateArray())
        {
            byte[] bytes = Encoding.UTF8.GetBytes(text.GetString()!);
            if (isStatus)
                reply.SimpleString(bytes);
            else
                reply.Bulk(bytes);
        }
    }
}
