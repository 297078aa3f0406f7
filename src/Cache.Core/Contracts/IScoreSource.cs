namespace Cache.Core;

/// <summary>Several members, each with a score; a struct over the caller's own bytes.</summary>
public interface IScoreSource : IKeySource
{
    /// <summary>The score at <paramref name="index"/>, the same at every call; not NaN.</summary>
    /// <param name="index">0 to <see cref="IKeySource.Count"/> − 1.</param>
    double GetScore(int index);
}
