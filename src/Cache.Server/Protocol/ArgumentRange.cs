namespace Cache.Server.Protocol;

/// <summary>Where an argument lies in the bytes of its request, counted from the request's first byte.</summary>
/// <param name="Offset">The position; negative: it does not lie there, see <see cref="IsElsewhere"/>.</param>
/// <param name="Length">The number of bytes.</param>
internal readonly record struct ArgumentRange(int Offset, int Length)
{
    /// <summary>Whether it lies in memory of its own; one argument of a request at the most does.</summary>
    public bool IsElsewhere => Offset < 0;

    public static ArgumentRange Elsewhere(int length) => new(-1, length);
}
