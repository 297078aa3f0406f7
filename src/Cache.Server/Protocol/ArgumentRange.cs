namespace Cache.Server.Protocol;

/// <summary>The place of an argument in its request, counted from the request's first byte.</summary>
/// <param name="Offset">The position; negative: it is not there, see <see cref="IsElsewhere"/>.</param>
/// <param name="Length">The number of bytes.</param>
internal readonly record struct ArgumentRange(int Offset, int Length)
{
    /// <summary>Whether it is in memory of its own; at most one argument of a request is.</summary>
    public bool IsElsewhere => Offset < 0;

    public static ArgumentRange Elsewhere(int length) => new(-1, length);
}
