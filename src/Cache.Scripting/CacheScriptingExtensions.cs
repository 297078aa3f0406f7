using Cache.Scripting.Native;
using Cache.Scripting.Running;
using Cache.Server;

// Where an application that registers a server has no need of another `using`.
namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Lets a server run scripts.</summary>
/// <remarks>
/// <example><code>
/// var options = new RespServerOptions { Port = 6379 }.UseScripting();
/// await using var server = new RespServer(store, options);
/// await server.StartAsync(CancellationToken.None);           // EVAL, SCRIPT, FUNCTION and FCALL are served
/// </code></example>
/// </remarks>
public static class CacheScriptingExtensions
{
    /// <summary>
    /// Whether the native library can be loaded: it is there for Linux with glibc, Windows and macOS, on x64 and Arm64.
    /// </summary>
    public static bool IsAvailable => LuaApi.IsThere;

    /// <summary>Lets the server run scripts and functions: EVAL, EVALSHA, SCRIPT, FUNCTION and FCALL.</summary>
    /// <param name="options">The options of a server that is not created yet.</param>
    /// <returns>The same options.</returns>
    /// <remarks>
    /// Each server has an interpreter of its own, which is made with it. Whoever may run scripts may use the server's
    /// time: while one runs, no other client is served.
    /// </remarks>
    /// <exception cref="DllNotFoundException">
    /// When a server is created: the native library is not there (<see cref="IsAvailable"/>).
    /// </exception>
    public static RespServerOptions UseScripting(this RespServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.ScriptInterpreter = static () => new LuaInterpreter();
        return options;
    }
}
