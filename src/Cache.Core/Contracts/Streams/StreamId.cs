namespace Cache.Core;

/// <summary>The id of an entry of a stream: a time in milliseconds, and a number among those of it.</summary>
/// <param name="Milliseconds">The time, by the clock of who made it: Unix milliseconds.</param>
/// <param name="Sequence">Tells entries of one millisecond apart.</param>
public readonly record struct StreamId(ulong Milliseconds, ulong Sequence) : IComparable<StreamId>
{
    /// <summary>0-0, which no entry has.</summary>
    public static StreamId Zero => default;

    /// <summary>The greatest id.</summary>
    public static StreamId Max => new(ulong.MaxValue, ulong.MaxValue);

    /// <summary>The id that follows; of the greatest one, 0-0.</summary>
    public StreamId Next => Sequence != ulong.MaxValue
        ? new StreamId(Milliseconds, Sequence + 1)
        : new StreamId(unchecked(Milliseconds + 1), 0);

    /// <summary>The id before; of 0-0, the greatest one.</summary>
    public StreamId Previous => Sequence != 0
        ? new StreamId(Milliseconds, Sequence - 1)
        : new StreamId(unchecked(Milliseconds - 1), ulong.MaxValue);

    /// <summary>Whether one comes before another.</summary>
    public static bool operator <(StreamId left, StreamId right) => left.CompareTo(right) < 0;

    /// <summary>Whether one comes after another.</summary>
    public static bool operator >(StreamId left, StreamId right) => left.CompareTo(right) > 0;

    /// <summary>Whether one comes before another, or is the same.</summary>
    public static bool operator <=(StreamId left, StreamId right) => left.CompareTo(right) <= 0;

    /// <summary>Whether one comes after another, or is the same.</summary>
    public static bool operator >=(StreamId left, StreamId right) => left.CompareTo(right) >= 0;

    /// <summary>Compares times, then numbers.</summary>
    public int CompareTo(StreamId other) => Milliseconds != other.Milliseconds
        ? Milliseconds.CompareTo(other.Milliseconds)
        : Sequence.CompareTo(other.Sequence);

    /// <summary>As Redis writes it: milliseconds-sequence.</summary>
    public override string ToString() => FormattableString.Invariant($"{Milliseconds}-{Sequence}");
}
