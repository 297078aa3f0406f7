namespace Cache.Core;

/// <summary>Several keys, each with a value; a struct over the caller's own bytes.</summary>
public interface IEntrySource : IKeySource
{
    /// <summary>The value at <paramref name="index"/>, the same bytes at every call.</summary>
    /// <param name="index">0 to <see cref="IKeySource.Count"/> − 1.</param>
    ReadOnlySpan<byte> GetValue(int index);
}
