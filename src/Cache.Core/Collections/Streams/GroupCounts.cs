using Cache.Core.Collections.Objects;

namespace Cache.Core.Collections.Streams;

/// <summary>How many entries of a stream a group has read, as far as that can be known.</summary>
internal static class GroupCounts
{
    /// <summary>Whether entries from an id on may have been removed from the middle.</summary>
    public static bool HasGaps(in StreamHeader header, StreamId first, StreamId from) =>
        header.Length != 0 && header.MaxRemoved != StreamId.Zero && first <= header.MaxRemoved
        && from <= header.MaxRemoved;

    /// <summary>The number of an entry among all that were ever added; −1: unknown.</summary>
    public static long NumberOf(in StreamHeader header, StreamId first, StreamId id)
    {
        if (header.Added == 0)
            return 0;
        if (header.Length == 0 && id <= header.Last)
            return header.Added;
        if (id == header.Last)
            return header.Added;
        if (id > header.Last)
            return StreamGroup.Unknown;
        if (header.MaxRemoved != StreamId.Zero && header.MaxRemoved >= first)
            return StreamGroup.Unknown;
        return id < first ? header.Added - header.Length
            : id == first ? header.Added - header.Length + 1
            : StreamGroup.Unknown;
    }

    /// <summary>How many entries wait for a group; null: unknown.</summary>
    public static long? LagOf(in StreamHeader header, StreamId first, in StreamGroup group)
    {
        if (header.Added == 0)
            return 0;
        if (group.EntriesRead != StreamGroup.Unknown && !HasGaps(header, first, group.Last))
            return header.Added - group.EntriesRead;
        long number = NumberOf(header, first, group.Last);
        return number == StreamGroup.Unknown ? null : header.Added - number;
    }

    /// <summary>A group behind the next entry.</summary>
    public static StreamGroup Advance(in StreamHeader header, StreamId first, in StreamGroup group, StreamId id)
    {
        long read = group.EntriesRead;
        if (read != StreamGroup.Unknown && !HasGaps(header, first, id))
            read++;
        else if (header.Added != 0)
            read = NumberOf(header, first, id);
        return group with { Last = id, EntriesRead = read };
    }
}
