using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>The arguments that are scores and members in turn, as in ZADD key score member.</summary>
/// <param name="request">The request.</param>
/// <param name="first">The index of the first score.</param>
/// <param name="scores">The scores, parsed.</param>
internal readonly ref struct RequestScores(in RespRequest request, int first, ReadOnlySpan<double> scores)
    : IScoreSource
{
    private readonly RespRequest _request = request;
    private readonly ReadOnlySpan<double> _scores = scores;

    public int Count => _scores.Length;

    public ReadOnlySpan<byte> GetKey(int index) => _request[first + index * 2 + 1];

    public double GetScore(int index) => _scores[index];
}
