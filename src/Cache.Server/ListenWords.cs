namespace Cache.Server;

/// <summary>The names of the options for listening in messages: as they were set.</summary>
/// <param name="Port">The port.</param>
/// <param name="TlsPort">The port for TLS.</param>
/// <param name="Bind">The addresses.</param>
internal sealed record ListenWords(string Port, string TlsPort, string Bind)
{
    /// <summary>For options set in <see cref="RespServerOptions"/>.</summary>
    public static ListenWords OfOptions { get; } = new(
        RespServerOptions.Ref(nameof(RespServerOptions.Port)),
        RespServerOptions.Ref(nameof(RespServerOptions.TlsPort)),
        RespServerOptions.Ref(nameof(RespServerOptions.Bind)));

    /// <summary>For options set by CONFIG SET.</summary>
    public static ListenWords OfConfig { get; } = new("port", "tls-port", "bind");
}
