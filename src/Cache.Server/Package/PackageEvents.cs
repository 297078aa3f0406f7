using System.Text.Json;
using Cache.Server.Commands.Administration;
using Cache.Server.Settings;
using Cache.Server.Statistics;

namespace Cache.Server.Package;

/// <summary>The last rare events, the youngest first.</summary>
/// <remarks>The sentence of a kind that is not known here may have any text, and is left out.</remarks>
internal static class PackageEvents
{
    // Their sentences are made of words of this program and of numbers.
    private static readonly string[] _plain =
    [
        EventKinds.Limit, EventKinds.LogIn, EventKinds.Eviction, EventKinds.OutOfMemory, EventKinds.Pause,
        EventKinds.Clock, EventKinds.Files,
    ];

    public static void Write(Utf8JsonWriter json, PackageSource source)
    {
        json.WriteStartArray();
        foreach (var one in source.Server.Events.GetLast(EventLog.EventsMax))
        {
            json.WriteStartObject();
            json.WriteNumber("id", one.Id);
            json.WriteNumber("at-ms", one.AtUnixMs);
            json.WriteString("kind", one.Kind);
            json.WriteString("client", source.Names.OfAddress(one.Client));
            json.WriteString("text", TextOf(one, source.Names));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static string TextOf(ServerEvent one, PackageNames names)
    {
        if (Array.IndexOf(_plain, one.Kind) >= 0)
            return one.Detail;
        return one.Kind == EventKinds.Configuration && ChangeOf(one.Detail, names) is { } change
            ? change
            : PackageNames.Hidden;
    }

    // "CONFIG SET name value"; null: it is another sentence.
    private static string? ChangeOf(string detail, PackageNames names)
    {
        if (!detail.StartsWith(ConfigChange.EventPrefix, StringComparison.Ordinal))
            return null;
        string[] words = detail[ConfigChange.EventPrefix.Length..].Split(' ', 2);
        return words.Length == 2 && DirectiveTable.Find(words[0]) is { } parameter
            ? $"{ConfigChange.EventPrefix}{parameter.Name} {PackageConfiguration.Show(parameter, words[1], names)}"
            : null;
    }
}
