using Cache.Core.Collections.Objects;

namespace Cache.Core.Collections.Streams;

/// <summary>Plans which of the oldest entries a trim removes, of them a step's at most.</summary>
internal ref struct TrimStep(StreamTrim trim, EntryRoom room)
{
    /// <summary>So many in one step; two more changes append an entry.</summary>
    public const int RemovedMax = ElementChanges.CountMax - 2;

    /// <summary>The entries that go.</summary>
    public long Removed { get; private set; }

    /// <summary>Whether one that is appended goes at once.</summary>
    public bool RemovesNew { get; private set; }

    /// <summary>Whether more of them are to go.</summary>
    public bool IsMore { get; private set; }

    /// <param name="stream">The stream, without the new entry.</param>
    /// <param name="header">With the new entry.</param>
    /// <param name="added">The new entry; 0-0: none.</param>
    /// <param name="changes">Takes the removals.</param>
    public void Plan(
        scoped in StreamView stream, in StreamHeader header, StreamId added, ElementChanges changes)
    {
        long excess = trim.MaxLength is { } length ? header.Length - length : long.MaxValue;
        if (trim.Limit > 0)
            excess = Math.Min(excess, trim.Limit);
        if (excess <= 0)
            return;
        var to = trim.MaxLength is not null ? StreamId.Max
            : trim.MinId == StreamId.Zero ? StreamId.Zero : trim.MinId.Previous;
        var cursor = new EntryCursor(stream, StreamId.Zero, to, isReversed: false, room);
        int blocks = 0;
        while (Removed < excess && cursor.TryMoveNext())
        {
            if (trim.IsApproximate && blocks != cursor.BlockCount)
            {
                blocks = cursor.BlockCount;
                if (cursor.CountInBlock > excess - Removed || cursor.LastInBlock > to)
                    return;
            }

            IsMore = Removed == RemovedMax;
            if (IsMore)
                return;
            StreamChanges.DropEntry(changes, cursor.Id);
            Removed++;
        }

        RemovesNew = added != StreamId.Zero && Removed < excess && added <= to && Removed == header.Length - 1;
        Removed += RemovesNew ? 1 : 0;
    }
}
