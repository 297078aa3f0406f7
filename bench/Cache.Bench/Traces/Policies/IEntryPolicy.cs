namespace Cache.Bench.Traces.Policies;

/// <summary>A cache of so many entries of equal size, which knows their ids alone.</summary>
internal interface IEntryPolicy
{
    /// <summary>Asks for an id, and takes it in if it is not there.</summary>
    /// <returns>Whether it was there.</returns>
    bool Access(int id);
}
