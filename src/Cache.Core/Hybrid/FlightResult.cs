namespace Cache.Core.Hybrid;

/// <summary>What a flight brought.</summary>
/// <param name="Value">The value, for the caller who began the flight.</param>
/// <param name="IsStale">Whether it is an expired one, in place of one that the factory failed to give.</param>
/// <param name="Payload">Its payload, of which the others get their own objects; null: they share the value.</param>
/// <param name="Flags">How to read the payload.</param>
internal readonly record struct FlightResult<T>(T? Value, bool IsStale, byte[]? Payload, ValueFlags Flags)
{
    /// <summary>The value for a caller who joined.</summary>
    public T? ForJoiner(ValueSerializer<T> serializer) =>
        Payload is null ? Value : serializer.Deserialize(Payload, Flags, own: null);
}
