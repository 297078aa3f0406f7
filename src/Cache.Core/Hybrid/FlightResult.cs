namespace Cache.Core.Hybrid;

/// <summary>The result of a flight.</summary>
/// <param name="Value">The value, for the caller who began the flight.</param>
/// <param name="IsStale">Whether it is an expired value, served because the factory failed.</param>
/// <param name="Payload">
/// Its payload, from which each other caller gets its own object; null: they share the value.
/// </param>
/// <param name="Flags">How to read the payload.</param>
internal readonly record struct FlightResult<T>(T? Value, bool IsStale, byte[]? Payload, ValueFlags Flags)
{
    /// <summary>The value for a caller who joined.</summary>
    public T? ForJoiner(ValueSerializer<T> serializer) =>
        Payload is null ? Value : serializer.Deserialize(Payload, Flags, own: null);
}
