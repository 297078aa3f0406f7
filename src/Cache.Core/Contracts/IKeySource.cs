namespace Cache.Core;

/// <summary>Several keys, named by index; a struct over the caller's own bytes.</summary>
public interface IKeySource
{
    /// <summary>The number of keys.</summary>
    int Count { get; }

    /// <summary>The key at <paramref name="index"/>, the same bytes at every call.</summary>
    /// <param name="index">0 to <see cref="Count"/> − 1.</param>
    ReadOnlySpan<byte> GetKey(int index);
}
