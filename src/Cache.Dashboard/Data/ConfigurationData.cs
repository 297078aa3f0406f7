using System.Text.Json;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Settings;

namespace Cache.Dashboard.Data;

/// <summary>The parameters: value, origin, default.</summary>
/// <remarks>
/// Remembers the values at the start, so that it tells what CONFIG SET has changed since. Passwords are never shown.
/// </remarks>
/// <param name="server">The server.</param>
/// <param name="origins">Where a program has a value from, by directive; none: unknown.</param>
internal sealed class ConfigurationData(ServerState server, IReadOnlyDictionary<string, string> origins)
{
    private static readonly HashSet<string> _secrets =
    [
        "requirepass", "masterauth", "masteruser", "tls-key-file-pass", "tls-client-key-file-pass",
    ];

    private readonly Dictionary<string, string> _atStart = ConfigParameters.AllOf(server)
        .ToDictionary(static one => one.Name, one => ConfigParameters.Read(one, server), StringComparer.Ordinal);

    public void Write(Utf8JsonWriter json)
    {
        json.WriteString("file", server.Settings.ConfigurationFile);
        json.WriteStartArray("parameters");
        foreach (var parameter in ConfigParameters.AllOf(server))
            Write(json, parameter);
        json.WriteEndArray();
    }

    private void Write(Utf8JsonWriter json, Directive parameter)
    {
        string value = ConfigParameters.Read(parameter, server);
        json.WriteStartObject();
        json.WriteString("name", parameter.Name);
        json.WriteString("value", Shown(parameter, value));
        json.WriteString("default", parameter.ShownDefault);
        json.WriteString("origin", OriginOf(parameter, value));
        json.WriteString("meaning", parameter.Meaning);
        json.WriteBoolean("changeable", parameter.IsChangeable);
        json.WriteEndObject();
    }

    private string OriginOf(Directive parameter, string value)
    {
        if (_atStart.GetValueOrDefault(parameter.Name) != value)
            return "CONFIG SET";
        if (origins.TryGetValue(parameter.Name, out string? origin))
            return origin;
        return value == DefaultOf(parameter) ? "default" : "start";
    }

    // As it is read where nobody has given a value.
    private static string DefaultOf(Directive parameter) => parameter.Name switch
    {
        "maxmemory" => ConfigParameters.ToMemoryLimit(parameter.Default),
        "dir" => OptionText.ToLatin1(Environment.CurrentDirectory),
        _ => parameter.Default,
    };

    private static string Shown(Directive parameter, string value) =>
        value.Length > 0 && _secrets.Contains(parameter.Name) ? "(set, not shown)" : KeyText.OfLatin1(value);
}
