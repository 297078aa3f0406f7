namespace Cache.Server.Settings;

/// <summary>The limits of what a client has not received yet.</summary>
/// <param name="Hard">More bytes end the client at once.</param>
/// <param name="Soft">More bytes end it when they have been more for a time.</param>
/// <param name="SoftMs">That time in milliseconds.</param>
internal sealed record OutputLimit(long Hard, long Soft, long SoftMs);
