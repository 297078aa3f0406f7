namespace Cache.Server.Commands;

/// <summary>Both ends of a client's connection as Redis writes them.</summary>
/// <param name="Remote">"127.0.0.1:50123", "[::1]:50123", or "/path:0" of a Unix socket.</param>
/// <param name="Local">The same of the server's end.</param>
/// <param name="IsUnixSocket">Whether it came through a Unix socket.</param>
/// <param name="IsLocal">Whether it came from this machine: by a Unix socket, or from a loopback address.</param>
internal readonly record struct ClientEndPoints(
    string Remote, string Local, bool IsUnixSocket = false, bool IsLocal = false);
