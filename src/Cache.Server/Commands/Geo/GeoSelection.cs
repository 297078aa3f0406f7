using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Geo;

/// <summary>A search whose result is stored.</summary>
/// <param name="request">The request.</param>
/// <param name="form">The command.</param>
/// <param name="points">What it finds.</param>
internal ref struct GeoSelection(scoped in RespRequest request, GeoForm form, GeoPoints points) : ISortedSetSelection
{
    private readonly RespRequest _request = request;
    private double _unit = 1;
    private bool _storesDistances;

    /// <summary>The error of a search that selects nothing.</summary>
    public ReadOnlySpan<byte> Problem { get; private set; }

    public readonly int Count => points.Count;

    public readonly ReadOnlySpan<byte> GetKey(int index) => points.MemberAt(index);

    public readonly double GetScore(int index) =>
        _storesDistances ? points[index].Distance / _unit : points[index].Score;

    public bool TrySelect(scoped in SortedSetSnapshot set)
    {
        bool isAbsent = set.Count == 0;
        points.Begin(wanted: 0, direction: 0);
        if (!GeoOptions.TryParse(_request, form, set, isAbsent, out var options))
        {
            Problem = options.Problem;
            return false;
        }

        _unit = options.Shape.Unit;
        _storesDistances = options.StoresDistances;
        if (!isAbsent)
            GeoSearch.Run(set, options, points);
        Problem = points.IsTooLong ? GeoSearchCommands.TooLong : default;
        return Problem.IsEmpty;
    }
}
