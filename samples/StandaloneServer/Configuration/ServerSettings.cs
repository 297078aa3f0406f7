using Cache.Core;
using Cache.Server;
using Microsoft.Extensions.Logging;

namespace StandaloneServer.Configuration;

/// <summary>What the directives set: options of the store, of the server, and this program's own.</summary>
internal sealed class ServerSettings(CacheOptions store, RespServerOptions server)
{
    private bool _hasTcp = true;

    public CacheOptions Store { get; } = store;

    public RespServerOptions Server { get; } = server;

    public LogLevel LogLevel { get; set; } = LogLevel.Information;

    /// <summary>The TCP port; 0 for no TCP, as in Redis (to the server's own options it is any free port).</summary>
    public int Port
    {
        set
        {
            Server.Port = value;
            _hasTcp = value != 0;
        }
    }

    /// <summary>Applies settings in order: of two for one directive the later stays.</summary>
    /// <exception cref="SettingException">One is wrong, or they do not go together.</exception>
    public ServerSettings Apply(IEnumerable<Setting> settings)
    {
        foreach (var setting in settings)
            DirectiveTable.Find(setting).Apply(setting, this);
        if (!_hasTcp)
            Server.Bind = [];
        if (!_hasTcp && Server.UnixSocketPath is null)
            throw new SettingException("port is 0 and there is no unixsocket: nothing to listen on. Set one of them.");
        return this;
    }
}
