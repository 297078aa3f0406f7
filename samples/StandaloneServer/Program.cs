using StandaloneServer;

// The runtime reads it before the process's first socket: replies are then written by the thread that received.
const string inlineCompletions = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";
if (Environment.GetEnvironmentVariable(inlineCompletions) is null)
    Environment.SetEnvironmentVariable(inlineCompletions, "1");

if (HealthProbe.IsAsked(args, out int port))
    return await HealthProbe.RunAsync(port).ConfigureAwait(false);
return await StandaloneHost.RunAsync(args).ConfigureAwait(false);
