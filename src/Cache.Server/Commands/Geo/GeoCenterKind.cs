namespace Cache.Server.Commands.Geo;

/// <summary>Where the center of a search stands.</summary>
internal enum GeoCenterKind
{
    /// <summary>Behind the key, as a point.</summary>
    Position,

    /// <summary>Behind the key, as a member.</summary>
    Member,

    /// <summary>In an option.</summary>
    Option,
}
