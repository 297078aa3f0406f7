using System.Globalization;
using System.Runtime.CompilerServices;

namespace Cache.Testing;

/// <summary>The seed of a random test: from the environment variable CACHE_TEST_SEED, else a fresh one.</summary>
internal static class RandomSeed
{
    public const string Variable = "CACHE_TEST_SEED";

    /// <summary>The seed for a test that starts now.</summary>
    public static int Next() =>
        int.TryParse(Environment.GetEnvironmentVariable(Variable), CultureInfo.InvariantCulture, out int seed)
            ? seed
            : Random.Shared.Next();

    /// <summary>
    /// Runs a test with a seed; if it fails, the failure names the seed and the command that repeats it.
    /// </summary>
    /// <param name="test">The test class: pass <c>this</c>.</param>
    /// <param name="body">Takes all its randomness from the seed that it is given.</param>
    /// <param name="method">The test method; left to the compiler.</param>
    public static void Run(object test, Action<int> body, [CallerMemberName] string method = "")
    {
        int seed = Next();
        try
        {
            body(seed);
        }
        catch (Exception failure)
        {
            throw new SeededFailureException(
                $"{failure.Message}{Environment.NewLine}{CommandFor(test.GetType(), method, seed)}", failure);
        }
    }

    private static string CommandFor(Type test, string method, int seed)
    {
        string project = test.Assembly.GetName().Name!;
        return $"Seed {seed}. Repeat it with: " +
            $"{Variable}={seed} dotnet run --project tests/{project} -- -method {test.FullName}.{method}";
    }
}
