using System.Diagnostics;
using Cache.Core;

namespace Cache.Server.Settings;

/// <summary>The names of the directive <c>compression</c>, and the store's modes.</summary>
internal static class CompressionName
{
    /// <summary>All names.</summary>
    public static IReadOnlyList<string> All { get; } = ["off", "cold", "all"];

    /// <summary>The store's mode for a name of <see cref="All"/>.</summary>
    public static ValueCompression ToMode(string name) => name switch
    {
        "off" => ValueCompression.Off,
        "cold" => ValueCompression.Cold,
        "all" => ValueCompression.All,
        _ => throw new UnreachableException(name),
    };

    /// <summary>The name of a mode.</summary>
    public static string Of(ValueCompression mode) => All[(int)mode];
}
