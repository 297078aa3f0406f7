using System.Text.Json;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Settings;

namespace Cache.Server.Package;

/// <summary>The parameters: value, origin, default. Texts are left out: passwords, paths, addresses, names.</summary>
internal static class PackageConfiguration
{
    private static readonly string[] _addresses = ["bind", "http-bind"];

    public static void Write(Utf8JsonWriter json, PackageSource source)
    {
        json.WriteStartArray();
        foreach (var parameter in DirectiveTable.All)
        {
            if (parameter.IsParameter && parameter.AliasOf is null)
                Write(json, parameter, source);
        }

        json.WriteEndArray();
    }

    /// <summary>A value as a package has it.</summary>
    public static string Show(Directive parameter, string value, PackageNames names)
    {
        if (value.Length == 0 || parameter.Kind.IsHarmless || value == parameter.Default)
            return value;
        return Array.IndexOf(_addresses, parameter.Name) >= 0
            ? string.Join(' ', Array.ConvertAll(value.Split(' '), names.OfListenAddress))
            : PackageNames.Hidden;
    }

    private static void Write(Utf8JsonWriter json, Directive parameter, PackageSource source)
    {
        string value = ConfigParameters.Read(parameter, source.Server);
        json.WriteStartObject();
        json.WriteString("name", parameter.Name);
        json.WriteString("value", Show(parameter, value, source.Names));
        json.WriteString("default", parameter.Default);
        json.WriteString("origin", OriginOf(parameter, value, source.Server));
        json.WriteEndObject();
    }

    // A file's path is left out.
    private static string OriginOf(Directive parameter, string value, ServerState server)
    {
        if (server.Settings.Changed.ContainsKey(parameter.Name))
            return "CONFIG SET";
        if (!server.Settings.Origins.TryGetValue(parameter.Name, out string? origin))
            return value == parameter.Default ? "default" : "start";
        if (origin.StartsWith("command line", StringComparison.Ordinal))
            return "command line";
        return origin.StartsWith("environment variable", StringComparison.Ordinal) ? "environment" : "file";
    }
}
