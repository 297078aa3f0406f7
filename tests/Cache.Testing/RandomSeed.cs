using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Cache.Testing;

/// <summary>
/// The seeds of a random test: the one in the environment variable CACHE_TEST_SEED; else those that are pinned by
/// <see cref="PinnedSeedsAttribute"/>, and a fresh one.
/// </summary>
internal static class RandomSeed
{
    public const string Variable = "CACHE_TEST_SEED";

    private const BindingFlags AnyMethod =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

    /// <summary>
    /// Runs a test with its seeds; if it fails, the failure names the seed and the command that repeats it.
    /// </summary>
    /// <param name="test">The test class: pass <c>this</c>.</param>
    /// <param name="body">Takes all its randomness from the seed that it is given.</param>
    /// <param name="method">The test method; left to the compiler.</param>
    public static void Run(object test, Action<int> body, [CallerMemberName] string method = "")
    {
        foreach (int seed in SeedsOf(test.GetType(), method, Environment.GetEnvironmentVariable(Variable)))
        {
            try
            {
                body(seed);
            }
            catch (Exception failure)
            {
                throw Seeded(failure, test, method, seed);
            }
        }
    }

    /// <summary>As <see cref="Run"/>, for a test that waits.</summary>
    public static async Task RunAsync(object test, Func<int, Task> body, [CallerMemberName] string method = "")
    {
        foreach (int seed in SeedsOf(test.GetType(), method, Environment.GetEnvironmentVariable(Variable)))
        {
            try
            {
                await body(seed);
            }
            catch (Exception failure)
            {
                throw Seeded(failure, test, method, seed);
            }
        }
    }

    /// <summary>The seeds for a test method, given what the environment says.</summary>
    public static IReadOnlyList<int> SeedsOf(Type test, string method, string? given)
    {
        if (int.TryParse(given, CultureInfo.InvariantCulture, out int seed))
            return [seed];
        var pinned = test.GetMethod(method, AnyMethod)?.GetCustomAttribute<PinnedSeedsAttribute>();
        return [.. pinned?.Seeds ?? [], Random.Shared.Next()];
    }

    private static SeededFailureException Seeded(Exception failure, object test, string method, int seed)
    {
        string project = test.GetType().Assembly.GetName().Name!;
        string command =
            $"{Variable}={seed} dotnet run --project tests/{project} -- -method {test.GetType().FullName}.{method}";
        return new SeededFailureException(
            $"{failure.Message}{Environment.NewLine}Seed {seed}. Repeat it with: {command}{Environment.NewLine}"
            + $"Keep it by: [PinnedSeeds({seed})]", failure);
    }
}
