using Cache.Core;

namespace Cache.Server.Commands.Geo;

/// <summary>Takes the members that lie in a shape.</summary>
/// <param name="shape">The shape.</param>
/// <param name="points">Receives them.</param>
/// <param name="countMax">How many are enough; 0: all are wanted.</param>
internal readonly struct GeoPointSink(GeoShape shape, GeoPoints points, long countMax) : IScoredMemberSink
{
    public bool IsFull => points.IsTooLong || (countMax > 0 && points.Count >= countMax);

    public void Begin(long count)
    {
    }

    public void Take(scoped ReadOnlySpan<byte> member, double score)
    {
        if (shape.Contains(GeoCell.OfScore(score).Center, out double distance))
            points.Add(member, score, distance);
    }
}
