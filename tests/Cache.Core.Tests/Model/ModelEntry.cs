namespace Cache.Core.Tests.Model;

/// <summary>What the model knows of an entry.</summary>
/// <param name="Value">The bytes.</param>
/// <param name="DeadlineMs">When it expires unless it is read before; 0: never.</param>
/// <param name="AbsoluteMs">When it expires at the latest; 0: never.</param>
/// <param name="SlidingMs">For how long a read renews it; 0: not.</param>
internal sealed record ModelEntry(byte[] Value, long DeadlineMs, long AbsoluteMs, long SlidingMs);
