namespace Cache.Server.Commands.Geo;

/// <summary>A member that a search found.</summary>
/// <param name="Start">Where its bytes begin.</param>
/// <param name="Length">How many they are.</param>
/// <param name="Score">Its score.</param>
/// <param name="Distance">How far it is from the center, in meters.</param>
internal readonly record struct GeoPoint(int Start, int Length, double Score, double Distance);
