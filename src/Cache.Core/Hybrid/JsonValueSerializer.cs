using System.Buffers;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Cache.Core.Hybrid;

/// <summary>Values as JSON, by a contract that was found for their type beforehand.</summary>
internal sealed class JsonValueSerializer<T>(JsonTypeInfo<T> type) : ValueSerializer<T>
{
    // Each writer has buffers that are worth keeping; one per thread is enough, since writing is synchronous.
    [ThreadStatic]
    private static Utf8JsonWriter? t_writer;

    public override ValueFlags Serialize(T value, IBufferWriter<byte> target)
    {
        // Taken out, so that a converter that serializes recursively makes another writer.
        var writer = t_writer ?? new Utf8JsonWriter(Stream.Null, WriterOptions);
        t_writer = null;
        writer.Reset(target);
        JsonSerializer.Serialize(writer, value, type);
        writer.Flush();
        writer.Reset(Stream.Null);
        t_writer = writer;
        return ValueFlags.None;
    }

    public override T Deserialize(ReadOnlySpan<byte> payload, ValueFlags flags, byte[]? own) =>
        JsonSerializer.Deserialize(payload, type)!;

    private JsonWriterOptions WriterOptions => new()
    {
        Encoder = type.Options.Encoder,
        Indented = type.Options.WriteIndented,
        MaxDepth = type.Options.MaxDepth,
        SkipValidation = true,
    };
}
