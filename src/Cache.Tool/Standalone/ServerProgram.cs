namespace Cache.Tool.Standalone;

/// <summary>The stand-alone server, or the health check of a container that it runs in.</summary>
internal static class ServerProgram
{
    private const string InlineCompletions = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <param name="arguments">The words behind the program's name.</param>
    /// <param name="calledAs">What its user has typed before them; null: the name of the program.</param>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(string[] arguments, string? calledAs = null)
    {
        // The runtime reads it before the process's first socket: replies are then written by the thread that received.
        if (Environment.GetEnvironmentVariable(InlineCompletions) is null)
            Environment.SetEnvironmentVariable(InlineCompletions, "1");
        return HealthProbe.IsAsked(arguments, out int port)
            ? await HealthProbe.RunAsync(port).ConfigureAwait(false)
            : await StandaloneHost.RunAsync(arguments, calledAs).ConfigureAwait(false);
    }
}
