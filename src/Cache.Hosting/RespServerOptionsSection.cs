using Cache.Server;

namespace Cache.Hosting;

/// <summary>The keys of a section that holds the server's options.</summary>
internal static class RespServerOptionsSection
{
    public static IReadOnlyList<SectionKey<RespServerOptions>> Keys { get; } =
    [
        new(nameof(RespServerOptions.Port),
            static (entry, options) => entry.Integer(value => options.Port = value)),
        new(nameof(RespServerOptions.Bind),
            static (entry, options) => entry.List(value => options.Bind = value)),
        new(nameof(RespServerOptions.UnixSocketPath),
            static (entry, options) => entry.Text(value => options.UnixSocketPath = value)),
        new(nameof(RespServerOptions.UnixSocketMode),
            static (entry, options) => entry.Mode(value => options.UnixSocketMode = value)),
        new(nameof(RespServerOptions.RequirePass),
            static (entry, options) => entry.Text(value => options.RequirePass = value)),
        new(nameof(RespServerOptions.Transport),
            static (entry, options) => entry.OneOf<RespTransport>(value => options.Transport = value)),
        new(nameof(RespServerOptions.IoThreadCount),
            static (entry, options) => entry.Integer(value => options.IoThreadCount = value)),
        new(nameof(RespServerOptions.MaxClients),
            static (entry, options) => entry.Integer(value => options.MaxClients = value)),
        new(nameof(RespServerOptions.ReservedClients),
            static (entry, options) => entry.Integer(value => options.ReservedClients = value)),
        new(nameof(RespServerOptions.AcceptsPerSecond),
            static (entry, options) => entry.Integer(value => options.AcceptsPerSecond = value)),
        new(nameof(RespServerOptions.ProtectedMode),
            static (entry, options) => entry.Switch(value => options.ProtectedMode = value)),
        new(nameof(RespServerOptions.ClientMemoryLimit),
            static (entry, options) => entry.Memory(value => options.ClientMemoryLimit = value)),
        new(nameof(RespServerOptions.AuthenticationTimeout),
            static (entry, options) => entry.Interval(value => options.AuthenticationTimeout = value)),
        new(nameof(RespServerOptions.PartialRequestTimeout),
            static (entry, options) => entry.Interval(value => options.PartialRequestTimeout = value)),
        new(nameof(RespServerOptions.Backlog),
            static (entry, options) => entry.Integer(value => options.Backlog = value)),
        new(nameof(RespServerOptions.InputBufferLimit),
            static (entry, options) => entry.Size(value => options.InputBufferLimit = value)),
        new(nameof(RespServerOptions.OutputBufferLimit),
            static (entry, options) => entry.Size(value => options.OutputBufferLimit = value)),
        new(nameof(RespServerOptions.OutputStallTimeout),
            static (entry, options) => entry.Interval(value => options.OutputStallTimeout = value)),
        new(nameof(RespServerOptions.Timeout),
            static (entry, options) => entry.Interval(value => options.Timeout = value)),
        new(nameof(RespServerOptions.TcpKeepAlive),
            static (entry, options) => entry.Interval(value => options.TcpKeepAlive = value)),
        new(nameof(RespServerOptions.DrainTimeout),
            static (entry, options) => entry.Interval(value => options.DrainTimeout = value)),
    ];
}
