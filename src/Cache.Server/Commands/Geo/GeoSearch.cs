using Cache.Core;

namespace Cache.Server.Commands.Geo;

/// <summary>Finds the members of a sorted set that lie in a shape.</summary>
internal static class GeoSearch
{
    /// <summary>The number of members that are looked at, at most.</summary>
    public static long CountCandidates(scoped in SortedSetSnapshot set, in GeoShape shape)
    {
        var cells = GeoCells.Of(shape, out int count);
        long candidates = 0;
        for (int i = 0; i < count; i++)
            candidates += set.GetCount(RangeOf(cells[i]));
        return candidates;
    }

    /// <summary>Finds them, in the order that is asked for.</summary>
    public static void Run(scoped in SortedSetSnapshot set, scoped in GeoOptions options, GeoPoints points)
    {
        var shape = options.Shape;
        points.Begin(options.Count, options.Direction);
        var sink = new GeoPointSink(shape, points, options.IsAny ? options.Count : 0);
        var cells = GeoCells.Of(shape, out int count);
        for (int i = 0; i < count && !sink.IsFull; i++)
            set.GetRange(RangeOf(cells[i]), ref sink);
        points.End();
    }

    private static SortedSetRange RangeOf(GeoCell cell) =>
        SortedSetRange.ByScore(cell.FirstScore, new ScoreBound(cell.EndScore, IsExclusive: true));
}
