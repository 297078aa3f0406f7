namespace Cache.Server.Settings;

/// <summary>The addresses on which the server listens.</summary>
/// <param name="Port">The TCP port; 0 for none.</param>
/// <param name="TlsPort">The port for TLS; 0 for none.</param>
/// <param name="Bind">The addresses of both, with a blank between them; empty for none.</param>
internal readonly record struct ListenPlace(int Port, int TlsPort, string Bind);
