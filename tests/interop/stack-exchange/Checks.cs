/// <summary>Counts what holds, and tells what does not.</summary>
internal sealed class Checks
{
    private int _passed;
    private int _failed;

    /// <summary>Prints the counts; the exit code.</summary>
    public int Finish()
    {
        Console.WriteLine($"{_passed} passed, {_failed} failed");
        return _failed == 0 ? 0 : 1;
    }

    public async Task CheckAsync(string name, Func<Task> body)
    {
        try
        {
            await body();
            _passed++;
        }
#pragma warning disable CA1031 // Every kind of failure is this check's, and the others still run.
        catch (Exception e)
#pragma warning restore CA1031
        {
            _failed++;
            Console.WriteLine($"FAILED {name}: {e.Message}");
        }
    }

    public static async Task UntilTrueAsync(Func<Task<bool>> condition)
    {
        for (int i = 0; i < 3000; i++)
        {
            if (await condition())
                return;
            await Task.Delay(10);
        }

        throw new TimeoutException("It has not come within 30 seconds.");
    }

    public static void Equal<T>(T expected, T actual)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, actual))
            throw new InvalidOperationException($"expected {expected}, was {actual}");
    }
}
