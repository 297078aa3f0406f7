using System.Text;

namespace Cache.Reliability.Tests.Conversations;

/// <summary>A client as the model has it: its state, and what it is told until the next comparison.</summary>
internal sealed class ConversingClient
{
    /// <summary>The requests behind MULTI; null: there was none.</summary>
    public List<string[]>? Queue { get; set; }

    /// <summary>Whether a queued request was refused.</summary>
    public bool IsBroken { get; set; }

    /// <summary>The watched keys, and their versions then.</summary>
    public Dictionary<string, long> Watched { get; } = [];

    public HashSet<string> Channels { get; } = [];

    /// <summary>At most one, since the order of several is no one's promise.</summary>
    public HashSet<string> Patterns { get; } = [];

    public bool IsTracking { get; set; }

    public StringBuilder Replies { get; } = new();

    /// <summary>Messages of channels; in their order, though not to the replies.</summary>
    public StringBuilder Pushes { get; } = new();

    /// <summary>Keys that it was told to be invalid; several may come in one message.</summary>
    public SortedSet<string> Invalid { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// Keys that it read before it ended its tracking, and began it again: as Redis, the server may remember them.
    /// </summary>
    public HashSet<string> PerhapsInvalid { get; } = [];

    /// <summary>It was told all that.</summary>
    public void Clear()
    {
        Replies.Clear();
        Pushes.Clear();
        Invalid.Clear();
        PerhapsInvalid.Clear();
    }
}
