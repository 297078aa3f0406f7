namespace Cache.Server;

/// <summary>What messages call the options of listening: as whoever set them does.</summary>
/// <param name="Port">The port.</param>
/// <param name="TlsPort">The port for TLS.</param>
/// <param name="Bind">The addresses.</param>
internal sealed record ListenWords(string Port, string TlsPort, string Bind)
{
    /// <summary>For who set <see cref="RespServerOptions"/>.</summary>
    public static ListenWords OfOptions { get; } = new(
        RespServerOptions.Ref(nameof(RespServerOptions.Port)),
        RespServerOptions.Ref(nameof(RespServerOptions.TlsPort)),
        RespServerOptions.Ref(nameof(RespServerOptions.Bind)));

    /// <summary>For who sent CONFIG SET.</summary>
    public static ListenWords OfConfig { get; } = new("port", "tls-port", "bind");
}
