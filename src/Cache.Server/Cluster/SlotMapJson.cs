using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Cache.Server.Cluster;

/// <summary>A map as a file has it, and as <c>CACHE CLUSTER</c> sends and takes it.</summary>
/// <remarks>
/// <code>{ "epoch": 3, "nodes": [ { "address": "10.0.0.1:6379", "slots": ["0-8191"] }, ... ] }</code>
/// If no server has slots, all slots are divided evenly. An unknown name is a mistake: it may be a misspelt one.
/// </remarks>
internal static class SlotMapJson
{
    /// <summary>The longest map: that of as many servers as there may be, with all slots one by one.</summary>
    public const int BytesMax = 1 << 20;

    private static readonly JsonDocumentOptions _reading = new()
    {
        AllowTrailingCommas = true,
        CommentHandling = JsonCommentHandling.Skip,
    };

    /// <summary>Reads a map.</summary>
    /// <param name="bytes">The JSON.</param>
    /// <param name="problem">What is wrong with it; null: nothing.</param>
    public static SlotMap? TryRead(ReadOnlyMemory<byte> bytes, out string? problem)
    {
        if (bytes.Length > BytesMax)
        {
            problem = $"has {bytes.Length} bytes; it must have at most {BytesMax}";
            return null;
        }

        if (bytes.Span.StartsWith(Encoding.UTF8.Preamble))
            bytes = bytes[Encoding.UTF8.Preamble.Length..]; // Of an editor.
        try
        {
            using var document = JsonDocument.Parse(bytes, _reading);
            return new Reader().TryRead(document.RootElement, out problem);
        }
        catch (Exception failure) when (failure is JsonException or InvalidOperationException)
        {
            // The second: a text that is no Unicode, which is found only when it is read.
            problem = $"is no JSON: {failure.Message}";
            return null;
        }
    }

    /// <summary>Writes a map, a server a line.</summary>
    public static byte[] Write(SlotMap map)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes, new JsonWriterOptions { Indented = true, NewLine = "\n" }))
        {
            json.WriteStartObject();
            json.WriteNumber("epoch"u8, map.Epoch);
            json.WriteStartArray("nodes"u8);
            for (int i = 0; i < map.Nodes.Count; i++)
            {
                json.WriteStartObject();
                json.WriteString("address"u8, AddressOf(map.Nodes[i]));
                json.WriteStartArray("slots"u8);
                foreach (var stretch in map.StretchesOf(i))
                    json.WriteStringValue(SlotRangeText.Format(stretch.First, stretch.Last));
                json.WriteEndArray();
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        bytes.Write("\n"u8);
        return bytes.WrittenSpan.ToArray();
    }

    private static string AddressOf(ShardNode node) => node.Host.Contains(':')
        ? string.Create(CultureInfo.InvariantCulture, $"[{node.Host}]:{node.Port}")
        : node.ToString();

    private sealed class Reader
    {
        private readonly List<ShardNode> _nodes = [];
        private readonly List<OwnedSlots> _owned = [];
        private bool _hasSlots;
        private long _epoch;
        private string? _problem;

        public SlotMap? TryRead(JsonElement root, out string? problem)
        {
            if (root.ValueKind != JsonValueKind.Object || !root.TryGetProperty("nodes"u8, out _))
                _problem = "must be an object with \"nodes\"";
            else
                TakeRoot(root);
            problem = _problem;
            return problem is null ? SlotMap.TryCreate(_epoch, _nodes, _hasSlots ? _owned : null, out problem) : null;
        }

        private void TakeRoot(JsonElement root)
        {
            foreach (var property in root.EnumerateObject())
            {
                if (property.NameEquals("epoch"u8))
                    Require(IsEpoch(property.Value, out _epoch), "has an \"epoch\" that is no number");
                else if (!property.NameEquals("nodes"u8))
                    _problem ??= $"has \"{property.Name}\", which is not known";
                else if (property.Value.ValueKind != JsonValueKind.Array)
                    _problem ??= "has \"nodes\" that are no array";
                else
                    TakeNodes(property.Value);
            }
        }

        private static bool IsEpoch(JsonElement value, out long epoch)
        {
            epoch = 0;
            return value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out epoch);
        }

        private void TakeNodes(JsonElement nodes)
        {
            foreach (var node in nodes.EnumerateArray())
            {
                if (node.ValueKind != JsonValueKind.Object || !TryTakeAddress(node))
                {
                    _problem ??= $"has the server {node.GetRawText()} without an \"address\" such as \"10.0.0.1:6379\"";
                    return;
                }

                foreach (var property in node.EnumerateObject())
                {
                    if (property.NameEquals("slots"u8))
                        TakeSlots(property.Value);
                    else if (!property.NameEquals("address"u8))
                        _problem ??= $"has \"{property.Name}\" of {_nodes[^1]}, which is not known";
                }
            }
        }

        private bool TryTakeAddress(JsonElement node)
        {
            if (!node.TryGetProperty("address"u8, out var address) || address.ValueKind != JsonValueKind.String
                || !ShardNode.TryParse(address.GetString()!, out var named))
            {
                return false;
            }

            _nodes.Add(named);
            return true;
        }

        private void TakeSlots(JsonElement slots)
        {
            _hasSlots = true;
            Require(slots.ValueKind == JsonValueKind.Array, $"has \"slots\" of {_nodes[^1]} that are no array");
            if (_problem is not null)
                return;
            foreach (var one in slots.EnumerateArray())
            {
                string text = one.ValueKind == JsonValueKind.String ? one.GetString()! : one.GetRawText();
                if (SlotRangeText.TryParse(text, out int first, out int last))
                    _owned.Add(new OwnedSlots(first, last, _nodes.Count - 1));
                else
                    _problem ??= $"has the slots '{text}' of {_nodes[^1]}; they must be such as 0-5460, up to 16383";
            }
        }

        private void Require(bool condition, string otherwise) => _problem ??= condition ? null : otherwise;
    }
}
