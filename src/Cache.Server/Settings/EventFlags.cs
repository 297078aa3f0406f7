using System.Text;

namespace Cache.Server.Settings;

/// <summary>The value of notify-keyspace-events: a letter for each class of events.</summary>
internal static class EventFlags
{
    private const string Letters = "Ag$lshzxeKEtmdn";

    // In the order in which CONFIG GET shows them; A stands for the first ten and hides n, as in Redis.
    private const string Single = "g$lshzxetdn";

    public static CheckedKind Kind { get; } = new("letters", $"letters of {Letters}", static text =>
        text.All(static one => Letters.Contains(one, StringComparison.Ordinal))
            ? null
            : $"Invalid event class character. Use '{Letters}'.")
    {
        Canonical = static text => FormatWhole(Parse(text)),
        HasNoText = true,
    };

    /// <summary>The classes that letters name.</summary>
    public static EventClasses Parse(string letters)
    {
        var classes = EventClasses.None;
        foreach (char letter in letters)
            classes |= ClassOf(letter);
        return classes;
    }

    /// <summary>The letters of classes, as CONFIG GET shows them.</summary>
    public static string Format(EventClasses classes)
    {
        var text = new StringBuilder();
        if ((classes & EventClasses.All) == EventClasses.All)
            text.Append('A');
        else
            Append(text, Single, classes);
        Append(text, "KEm", classes);
        return text.ToString();
    }

    // With an n that CONFIG GET hides, though its events come.
    private static string FormatWhole(EventClasses classes)
    {
        bool isHidden = (classes & EventClasses.New) != 0 && (classes & EventClasses.All) == EventClasses.All;
        return Format(classes) + (isHidden ? "n" : "");
    }

    private static void Append(StringBuilder text, string letters, EventClasses classes)
    {
        foreach (char letter in letters)
        {
            if ((classes & ClassOf(letter)) != 0)
                text.Append(letter);
        }
    }

    private static EventClasses ClassOf(char letter) => letter switch
    {
        'A' => EventClasses.All,
        'g' => EventClasses.Generic,
        '$' => EventClasses.Strings,
        'l' => EventClasses.Lists,
        's' => EventClasses.Sets,
        'h' => EventClasses.Hashes,
        'z' => EventClasses.SortedSets,
        'x' => EventClasses.Expired,
        'e' => EventClasses.Evicted,
        't' => EventClasses.Streams,
        'd' => EventClasses.Modules,
        'n' => EventClasses.New,
        'm' => EventClasses.KeyMiss,
        'K' => EventClasses.KeyChannels,
        'E' => EventClasses.EventChannels,
        _ => EventClasses.None,
    };
}
