using System.Globalization;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Asks a source how far its stream is, on a connection of its own.</summary>
internal sealed class SourceInfo(ServerAddress address) : IDisposable
{
    private ServerConnection? _connection;

    /// <summary>The end of its stream; null: it does not say, or does not answer now.</summary>
    public long? TryOffset()
    {
        try
        {
            _connection ??= ServerConnection.Open(address);
            return _connection.Info("replication").TryGetValue("master_repl_offset", out string? text)
                && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long offset)
                ? offset
                : null;
        }
        catch (ToolException)
        {
            _connection?.Dispose();
            _connection = null;
            return null;
        }
    }

    public void Dispose() => _connection?.Dispose();
}
