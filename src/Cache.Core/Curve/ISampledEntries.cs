namespace Cache.Core.Curve;

/// <summary>Tells what the sampled entries are.</summary>
internal interface ISampledEntries
{
    /// <summary>Looks at the entry of a hash.</summary>
    /// <param name="hash">All but the bits of <see cref="AccessSamples.KindMask"/>.</param>
    /// <param name="entry">What it is.</param>
    /// <returns>False if there is none, or a writer is at it.</returns>
    bool TryFind(ulong hash, out SampledEntry entry);
}
