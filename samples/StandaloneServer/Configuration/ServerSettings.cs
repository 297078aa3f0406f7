using Cache.Core;
using Cache.Server;
using Microsoft.Extensions.Logging;

namespace StandaloneServer.Configuration;

/// <summary>What the directives set: options of the store, of the server, and this program's own.</summary>
internal sealed class ServerSettings(CacheOptions store, RespServerOptions server)
{
    public CacheOptions Store { get; } = store;

    public RespServerOptions Server { get; } = server;

    /// <summary>How much of the store's limit all clients may hold together; 0: it is said in bytes.</summary>
    public int ClientMemoryPercent { get; set; }

    public LogLevel LogLevel { get; set; } = LogLevel.Information;

    /// <summary>Applies settings in order: of two for one directive the later stays.</summary>
    /// <exception cref="SettingException">One is wrong, or they do not go together.</exception>
    public ServerSettings Apply(IEnumerable<Setting> settings)
    {
        foreach (var setting in settings)
            DirectiveTable.Find(setting).Apply(setting, this);
        if (ClientMemoryPercent > 0)
        {
            long bytes = (long)((Int128)Store.MemoryLimitBytes * ClientMemoryPercent / 100);
            Server.ClientMemoryLimit = Math.Max(RespServerOptions.BufferLimitMin, bytes);
        }

        bool hasTcp = Server.Port is not null || Server.TlsPort is not null;
        if (!hasTcp && Server.UnixSocketPath is null)
        {
            throw new SettingException(
                "port is 0, and there is no tls-port and no unixsocket: nothing to listen on. Set one of them.");
        }

        if (!hasTcp)
            Server.Bind = [];
        return this;
    }
}
