using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Geo;

/// <summary>The arguments that are points and members in turn, as in GEOADD key longitude latitude member.</summary>
/// <param name="request">The request.</param>
/// <param name="first">The index of the first longitude.</param>
/// <param name="scores">The points' scores.</param>
internal readonly ref struct RequestPositions(in RespRequest request, int first, ReadOnlySpan<double> scores)
    : IScoreSource
{
    private readonly RespRequest _request = request;
    private readonly ReadOnlySpan<double> _scores = scores;

    public int Count => _scores.Length;

    public ReadOnlySpan<byte> GetKey(int index) => _request[first + index * 3 + 2];

    public double GetScore(int index) => _scores[index];
}
