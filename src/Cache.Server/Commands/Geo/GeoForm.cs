namespace Cache.Server.Commands.Geo;

/// <summary>How the commands that search differ.</summary>
/// <param name="CenterKind">Where the center stands.</param>
/// <param name="MayStore">Whether the options STORE and STOREDIST are known.</param>
/// <param name="IsStore">Whether the result is always stored: the first argument says where.</param>
internal readonly record struct GeoForm(GeoCenterKind CenterKind, bool MayStore = false, bool IsStore = false)
{
    /// <summary>The index of the key that is searched.</summary>
    public int Source => IsStore ? 2 : 1;

    /// <summary>The index of the first option.</summary>
    public int FirstOption => CenterKind switch
    {
        GeoCenterKind.Position => 6,
        GeoCenterKind.Member => 5,
        _ => Source + 1,
    };

    /// <summary>Whether center and shape are options.</summary>
    public bool IsSearch => CenterKind == GeoCenterKind.Option;
}
