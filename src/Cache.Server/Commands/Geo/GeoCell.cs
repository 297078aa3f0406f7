using System.Diagnostics;

namespace Cache.Server.Commands.Geo;

/// <summary>A cell of a grid that divides the map into 2^steps by 2^steps.</summary>
/// <remarks>
/// Its number has the bits of its column and its row in turn, the column's first. So a cell's number begins with that
/// of the larger cell around it, and the members in a cell have scores that follow each other: a score is the number of
/// a cell of the finest grid.
/// </remarks>
/// <param name="Bits">The number.</param>
/// <param name="Steps">The bits of a row.</param>
internal readonly record struct GeoCell(ulong Bits, int Steps)
{
    /// <summary>Of the finest grid: a score has no more than 53 bits.</summary>
    public const int StepsMax = 26;

    private const double GeohashLatitudeMax = 90;
    private const double WholeEnd = 9223372036854775808.0;
    private const ulong RowBits = 0x5555555555555555;

    /// <summary>The cell of a point of the map.</summary>
    public static GeoCell Of(GeoPosition position, int steps) => Of(position, steps, GeoPosition.LatitudeMax);

    /// <summary>
    /// The cell of a point in the grid of geohash.org, whose texts number the cells of a map that has the poles.
    /// </summary>
    public static GeoCell OfGeohash(GeoPosition position) => Of(position, StepsMax, GeohashLatitudeMax);

    /// <summary>The cell that a score is the number of; scores that are none have bits beyond the grid.</summary>
    public static GeoCell OfScore(double score) => new(ToUnsigned(score), StepsMax);

    /// <summary>The first of the scores in it.</summary>
    public double FirstScore => Bits << (2 * (StepsMax - Steps));

    /// <summary>The first score behind it.</summary>
    public double EndScore => (Bits + 1) << (2 * (StepsMax - Steps));

    public double West => Edge(Column, GeoPosition.LongitudeMax);

    public double East => Edge(unchecked(Column + 1), GeoPosition.LongitudeMax);

    public double South => Edge(Row, GeoPosition.LatitudeMax);

    public double North => Edge(unchecked(Row + 1), GeoPosition.LatitudeMax);

    /// <summary>The point in the middle, moved into the map if the cell is none of its grid.</summary>
    public GeoPosition Center => new(
        Math.Clamp((West + East) / 2, -GeoPosition.LongitudeMax, GeoPosition.LongitudeMax),
        Math.Clamp((South + North) / 2, -GeoPosition.LatitudeMax, GeoPosition.LatitudeMax));

    /// <summary>A score as C on x86-64 makes a whole number of it: those that are too large are the lowest.</summary>
    public static long ToSigned(double score) =>
        score is >= -WholeEnd and < WholeEnd ? (long)score : long.MinValue;

    private uint Column => Gather(Bits >> 1);

    private uint Row => Gather(Bits);

    /// <summary>The cell some columns and rows away; behind an edge of the map is the opposite edge.</summary>
    public GeoCell Moved(int columns, int rows)
    {
        // A point on the north or east edge is in a cell beyond the grid, which stays there if it is not moved.
        uint mask = (1u << Steps) - 1;
        uint column = columns == 0 ? Column : unchecked(Column + (uint)columns) & mask;
        uint row = rows == 0 ? Row : unchecked(Row + (uint)rows) & mask;
        return this with { Bits = Spread(row) | (Spread(column) << 1) };
    }

    private static GeoCell Of(GeoPosition position, int steps, double latitudeMax)
    {
        Debug.Assert(position.IsValid);
        Debug.Assert(steps is >= 1 and <= StepsMax);
        double row = (position.Latitude + latitudeMax) / (latitudeMax + latitudeMax);
        double column = (position.Longitude + GeoPosition.LongitudeMax) / (2 * GeoPosition.LongitudeMax);
        return new GeoCell(
            Spread((uint)(row * (1UL << steps))) | (Spread((uint)(column * (1UL << steps))) << 1), steps);
    }

    private double Edge(uint index, double max) => -max + (index * 1.0 / (1UL << Steps)) * (max + max);

    // The bits of a number at the even places, from the lowest on.
    private static ulong Spread(uint number)
    {
        ulong bits = number;
        bits = (bits | (bits << 16)) & 0x0000FFFF0000FFFF;
        bits = (bits | (bits << 8)) & 0x00FF00FF00FF00FF;
        bits = (bits | (bits << 4)) & 0x0F0F0F0F0F0F0F0F;
        bits = (bits | (bits << 2)) & 0x3333333333333333;
        return (bits | (bits << 1)) & RowBits;
    }

    private static uint Gather(ulong bits)
    {
        bits &= RowBits;
        bits = (bits | (bits >> 1)) & 0x3333333333333333;
        bits = (bits | (bits >> 2)) & 0x0F0F0F0F0F0F0F0F;
        bits = (bits | (bits >> 4)) & 0x00FF00FF00FF00FF;
        bits = (bits | (bits >> 8)) & 0x0000FFFF0000FFFF;
        return (uint)(bits | (bits >> 16));
    }

    // As C on x86-64: modulo 2^64 from −2^63 on, where C# has the nearest number; too large is 0.
    private static ulong ToUnsigned(double score)
    {
        if (score < WholeEnd)
            return unchecked((ulong)ToSigned(score));
        return score < 2 * WholeEnd ? (ulong)score : 0;
    }
}
