namespace Cache.Near;

/// <summary>The state of the link to a primary.</summary>
/// <param name="Server">Where it is.</param>
/// <param name="IsCoherent">Whether local entries of its keys count now.</param>
/// <param name="LastFailure">Why the link was last lost or not made; null: it never was.</param>
public sealed record NearNodeStatus(string Server, bool IsCoherent, string? LastFailure);
