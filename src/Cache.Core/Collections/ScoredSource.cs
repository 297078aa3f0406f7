using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Members with their scores as values, where elements are asked for.</summary>
internal ref struct ScoredSource<TScores>(TScores scores) : IEntrySource
    where TScores : struct, IScoreSource, allows ref struct
{
    private readonly byte[] _score = new byte[PackedScore.LengthMax];

    /// <summary>The caller's source.</summary>
    public TScores Scores = scores;

    public int Count => Scores.Count;

    public ReadOnlySpan<byte> GetKey(int index) => Scores.GetKey(index);

    public ReadOnlySpan<byte> GetValue(int index) =>
        _score.AsSpan(0, PackedScore.Write(Scores.GetScore(index), _score));
}
