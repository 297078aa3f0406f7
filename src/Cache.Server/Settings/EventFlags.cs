namespace Cache.Server.Settings;

/// <summary>The value of notify-keyspace-events: a letter for each class of events.</summary>
internal static class EventFlags
{
    private const string Letters = "Ag$lshzxeKEtmdn";

    public static CheckedKind Kind { get; } = new("letters", $"letters of {Letters}", static text =>
        text.All(static one => Letters.Contains(one, StringComparison.Ordinal))
            ? null
            : $"Invalid event class character. Use '{Letters}'.");
}
