using System.Runtime.CompilerServices;

namespace Cache.Server.Commands.Geo;

/// <summary>The cells in which the members of a shape lie: that of its center, and up to eight around it.</summary>
[InlineArray(CountMax)]
internal struct GeoCells
{
    public const int CountMax = 9;

    // Half of the map's width in meters.
    private const double MapRadius = 20037726.37;

    // From these latitudes on, cells are so narrow that larger ones are taken.
    private const double NarrowLatitude = 66;
    private const double NarrowestLatitude = 80;

    private GeoCell _first;

    /// <summary>The cells, in the order in which Redis reads them.</summary>
    /// <param name="shape">The shape.</param>
    /// <param name="count">How many there are.</param>
    public static GeoCells Of(in GeoShape shape, out int count)
    {
        var bounds = shape.Bounds;
        int steps = StepsOf(shape.Radius, shape.Center.Latitude);
        var center = GeoCell.Of(shape.Center, steps);
        if (steps > 1 && IsTooSmall(center, bounds))
            center = GeoCell.Of(shape.Center, --steps);

        // In a grid of four cells, each may be needed.
        bool mayLeaveOut = steps >= 2;
        bool isSouth = mayLeaveOut && center.South < bounds.South;
        bool isNorth = mayLeaveOut && center.North > bounds.North;
        bool isWest = mayLeaveOut && center.West < bounds.West;
        bool isEast = mayLeaveOut && center.East > bounds.East;
        var cells = new GeoCells();
        cells[0] = center;
        count = 1;
        foreach (var (columns, rows) in (ReadOnlySpan<(int, int)>)
            [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)])
        {
            if ((rows < 0 && isSouth) || (rows > 0 && isNorth) || (columns < 0 && isWest) || (columns > 0 && isEast))
                continue;
            var cell = center.Moved(columns, rows);
            if (count == 1 || cell != cells[count - 1]) // In a small grid, two neighbours may be one.
                cells[count++] = cell;
        }

        return cells;
    }

    private static int StepsOf(double radius, double latitude)
    {
        if (radius == 0)
            return GeoCell.StepsMax;
        int steps = -1;
        for (; radius < MapRadius; radius *= 2)
            steps++;
        double distance = Math.Abs(latitude);
        if (distance > NarrowLatitude)
            steps -= distance > NarrowestLatitude ? 2 : 1;
        return Math.Clamp(steps, 1, GeoCell.StepsMax);
    }

    // Whether the shape reaches beyond the cells around it.
    private static bool IsTooSmall(GeoCell center, (double West, double South, double East, double North) bounds) =>
        center.Moved(0, 1).North < bounds.North || center.Moved(0, -1).South > bounds.South
        || center.Moved(1, 0).East < bounds.East || center.Moved(-1, 0).West > bounds.West;
}
