namespace Cache.Core.Tests.Model;

/// <summary>Ends FsCheck's search for a shorter sequence that fails: it would take more than an hour.</summary>
/// <remarks>
/// Each shorter one is tried by running it, and each that fails begins the search anew. The first failure is printed at
/// once, so that a run that is ended from outside has it.
/// </remarks>
internal sealed class ShrinkLimit(int seed, TimeProvider time, TextWriter output)
{
    // As much as all sequences of a test take together.
    public static readonly TimeSpan DurationMax = TimeSpan.FromSeconds(60);

    private long _failedAt;

    /// <summary>Runs a sequence; once the time is over, none: FsCheck takes it for one that does not fail.</summary>
    public void Run(Action sequence)
    {
        if (_failedAt != 0 && time.GetElapsedTime(_failedAt) >= DurationMax)
            return;
        try
        {
            sequence();
        }
        catch (Exception failure)
        {
            if (_failedAt == 0)
            {
                _failedAt = time.GetTimestamp();
                output.WriteLine($"Seed {seed} fails, and is made shorter: {failure.Message}");
                output.Flush();
            }

            throw;
        }
    }
}
