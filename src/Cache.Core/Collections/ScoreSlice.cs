namespace Cache.Core.Collections;

/// <summary>Some members of a source that follow each other, with their scores: those of one step.</summary>
internal ref struct ScoreSlice<TScores>(TScores scores, int from, int count) : IScoreSource
    where TScores : struct, IScoreSource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TScores Scores = scores;

    public readonly int Count => count;

    public ReadOnlySpan<byte> GetKey(int index) => Scores.GetKey(from + index);

    public double GetScore(int index) => Scores.GetScore(from + index);
}
