using System.Text.Json;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Package;

/// <summary>
/// Slow and large requests: commands, keys and clients; of the other arguments only how many they are.
/// </summary>
internal static class PackageLogs
{
    // More than a person reads; 1.5 MB a log at most, for keys of bytes that are no text.
    private const int RequestsMax = 500;
    private const int KeysMax = 4;

    // A longer argument was cut for the log: its hash would be that of another key.
    private const int KeyLengthMax = LongArgument.BeginningLength;

    /// <summary>The youngest requests of a log.</summary>
    /// <param name="json">Gets them.</param>
    /// <param name="log">The log.</param>
    /// <param name="unit">The name of the value for which a request is in the log.</param>
    /// <param name="source">The server, and its names.</param>
    public static void Write(Utf8JsonWriter json, SlowLog log, string unit, PackageSource source)
    {
        json.WriteStartArray();
        foreach (var request in log.GetLast(RequestsMax))
        {
            json.WriteStartObject();
            json.WriteNumber("id", request.Id);
            json.WriteNumber("at", request.AtUnixSeconds);
            json.WriteNumber(unit, request.Value);
            json.WriteString("command", source.Names.OfCommand(source.Server, request));
            json.WriteNumber("arguments", request.Arguments.Length);
            WriteKeys(json, request.Arguments, source);
            json.WriteString("client", source.Names.OfAddress(request.Client));
            json.WriteString("client-name", source.Names.OfClient(request.ClientName));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    /// <summary>What made clients wait, by cause.</summary>
    public static void WriteLatency(Utf8JsonWriter json, PackageSource source)
    {
        var events = source.Server.LatencyEvents;
        json.WriteStartArray();
        foreach (var (cause, _, longestMs) in events.GetLatest())
        {
            json.WriteStartObject();
            json.WriteString("cause", cause);
            json.WriteNumber("longest-ms", longestMs);
            json.WriteStartArray("samples");
            foreach (var sample in events.GetSamples(cause))
            {
                json.WriteStartObject();
                json.WriteNumber("at", sample.AtUnixSeconds);
                json.WriteNumber("ms", sample.Milliseconds);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteKeys(Utf8JsonWriter json, byte[][] arguments, PackageSource source)
    {
        json.WriteStartArray("keys");
        if (PackageNames.FindCommand(source.Server, arguments) is { } command)
        {
            foreach (byte[] key in KeysOf(command, arguments))
                json.WriteStringValue(key.Length > KeyLengthMax ? "(long)" : source.Names.OfKey(key));
        }

        json.WriteEndArray();
    }

    private static List<byte[]> KeysOf(CommandDefinition command, byte[][] arguments)
    {
        var ranges = new ArgumentRange[arguments.Length];
        int offset = 0;
        for (int i = 0; i < ranges.Length; offset += arguments[i++].Length)
            ranges[i] = new ArgumentRange(offset, arguments[i].Length);
        var keys = new List<byte[]>();
        var positions = new KeyEnumerator(command, new RespRequest(Joined(arguments, offset), ranges), 0);
        while (keys.Count < KeysMax && positions.MoveNext())
            keys.Add(arguments[positions.Index]);
        return keys;
    }

    private static byte[] Joined(byte[][] arguments, int length)
    {
        byte[] joined = new byte[length];
        int offset = 0;
        foreach (byte[] argument in arguments)
        {
            argument.CopyTo(joined, offset);
            offset += argument.Length;
        }

        return joined;
    }
}
