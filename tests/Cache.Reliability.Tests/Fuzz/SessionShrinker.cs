namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Leaves out of a failing session whatever is not needed for the failure (delta debugging).</summary>
/// <remarks>First whole steps; then, once what is sent is cut into requests, single requests.</remarks>
internal static class SessionShrinker
{
    // A minimum that is nearly reached is as good to read as the minimum.
    private const int TriesMax = 3_000;

    /// <param name="session">Fails.</param>
    /// <param name="fails">Runs a session on a server of its own, and says whether it fails.</param>
    public static async Task<FuzzSession> ShrinkAsync(FuzzSession session, Func<FuzzSession, Task<bool>> fails)
    {
        var steps = await LeaveOutAsync([.. session.Steps], fails);
        List<FuzzStep> requests = [.. steps.SelectMany(CutIntoRequests)];
        if (requests.Count > steps.Count && await fails(new FuzzSession(requests)))
            steps = await LeaveOutAsync(requests, fails);
        return new FuzzSession(steps);
    }

    private static async Task<List<FuzzStep>> LeaveOutAsync(
        List<FuzzStep> steps, Func<FuzzSession, Task<bool>> fails)
    {
        int tries = 0;
        for (int cut = Math.Max(1, steps.Count / 2); cut > 0 && tries < TriesMax; cut /= 2)
        {
            for (int start = 0; start < steps.Count && tries < TriesMax;)
            {
                List<FuzzStep> rest = [.. steps[..start], .. steps[Math.Min(steps.Count, start + cut)..]];
                tries++;
                if (await fails(new FuzzSession(rest)))
                    steps = rest;
                else
                    start += cut;
            }
        }

        return steps;
    }

    private static IEnumerable<FuzzStep> CutIntoRequests(FuzzStep step)
    {
        var rest = step.Bytes.AsMemory();
        if (step.Kind != FuzzStepKind.Send)
        {
            yield return step;
            yield break;
        }

        while (!rest.IsEmpty)
        {
            int end = rest.Span.IndexOf("\r\n*"u8) is >= 0 and var found ? found + 2 : rest.Length;
            yield return step with { Bytes = rest[..end].ToArray() };
            rest = rest[end..];
        }
    }
}
