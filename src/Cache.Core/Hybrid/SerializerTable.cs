using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Hybrid;

/// <summary>The serializer of each type, found once.</summary>
/// <remarks>
/// Bytes and strings are never serialized. Other types use the first of: an <see cref="IHybridCacheSerializer{T}"/> of
/// the container, a factory (the last one first), JSON.
/// </remarks>
internal sealed class SerializerTable(HybridStoreOptions options, IServiceProvider? services)
{
    private static int _lastTypeNumber = -1;

    private readonly Lock _gate = new();
    private readonly IHybridCacheSerializerFactory[] _factories = [.. options.SerializerFactories];
    private readonly JsonSerializerOptions? _jsonOptions = options.JsonOptions;

    // By the number of the type. Replaced under the gate, by release, when it grows; read once, by acquire.
    private object?[] _serializers = new object?[16];

    public ValueSerializer<T> Get<T>()
    {
        var serializers = Volatile.Read(ref _serializers);
        int number = TypeNumber<T>.Value;
        if (number >= serializers.Length || Volatile.Read(ref serializers[number]) is not { } known)
            return Add<T>(number);
        // The test for a sealed class is one comparison; the cast to a base class is a call.
        return known is JsonValueSerializer<T> json ? json : (ValueSerializer<T>)known;
    }

    private ValueSerializer<T> Add<T>(int number)
    {
        lock (_gate)
        {
            if (number >= _serializers.Length)
            {
                var larger = new object?[Math.Max(number + 1, _serializers.Length * 2)];
                _serializers.CopyTo(larger, 0);
                Volatile.Write(ref _serializers, larger);
            }

            var serializer = (ValueSerializer<T>?)_serializers[number] ?? Create<T>();
            Volatile.Write(ref _serializers[number], serializer);
            return serializer;
        }
    }

    private ValueSerializer<T> Create<T>()
    {
        if (typeof(T) == typeof(byte[]))
            return (ValueSerializer<T>)(object)new BytesSerializer();
        if (typeof(T) == typeof(string))
            return (ValueSerializer<T>)(object)new TextSerializer();
        if (services?.GetService(typeof(IHybridCacheSerializer<T>)) is IHybridCacheSerializer<T> registered)
            return new CustomSerializer<T>(registered);
        for (int i = _factories.Length - 1; i >= 0; i--)
        {
            if (_factories[i].TryCreateSerializer<T>(out var created))
                return new CustomSerializer<T>(created);
        }

        return new JsonValueSerializer<T>(FindJsonType<T>());
    }

    private JsonTypeInfo<T> FindJsonType<T>()
    {
        var jsonOptions = _jsonOptions ?? DefaultJsonOptions();
        if (jsonOptions is null || !jsonOptions.TryGetTypeInfo(typeof(T), out var type))
        {
            throw new InvalidOperationException(
                $"There is no serializer for {typeof(T)}: register an IHybridCacheSerializer of it, or set"
                + $" {nameof(HybridStoreOptions)}.{nameof(HybridStoreOptions.JsonOptions)} to options whose"
                + " TypeInfoResolver is a JsonSerializerContext that has the type.");
        }

        return (JsonTypeInfo<T>)type;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Only where reflection is enabled; a trimmed "
        + "application has it disabled, and the message above tells it what to register.")]
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "As above.")]
    private static JsonSerializerOptions? DefaultJsonOptions() =>
        JsonSerializer.IsReflectionEnabledByDefault ? JsonSerializerOptions.Default : null;

    /// <summary>A number for each type that was ever asked for, small enough to be an index.</summary>
    private static class TypeNumber<T>
    {
        public static readonly int Value = Interlocked.Increment(ref _lastTypeNumber);
    }
}
