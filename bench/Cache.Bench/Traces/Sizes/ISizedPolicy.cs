namespace Cache.Bench.Traces.Sizes;

/// <summary>A cache of entries of different sizes that may take so many bytes; it knows ids and sizes alone.</summary>
internal interface ISizedPolicy
{
    /// <summary>The bytes of the entries that are there.</summary>
    long Bytes { get; }

    /// <summary>Asks for an id, and takes it in if it is not there, unless it is larger than all.</summary>
    /// <returns>Whether it was there.</returns>
    bool Access(int id);
}
