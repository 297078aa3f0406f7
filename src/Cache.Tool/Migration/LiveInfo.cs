using System.Globalization;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Asks a server who it is, and how far its stream is, on a connection of its own.</summary>
internal sealed class LiveInfo(ServerAddress address) : IDisposable
{
    private ServerConnection? _connection;

    /// <summary>The end of its stream; null: it does not say, or does not answer now.</summary>
    public long? TryOffset() =>
        TryTell("replication", "master_repl_offset") is { } text
        && long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long offset)
            ? offset
            : null;

    /// <summary>The name of its process; null: it does not say, or does not answer now.</summary>
    public string? TryRunId() => TryTell("server", "run_id");

    /// <summary>Whether it answers now, whatever.</summary>
    public bool Answers()
    {
        try
        {
            _connection?.Dispose(); // It may have been idle for long, and closed.
            _connection = null;
            _connection = ServerConnection.Open(address);
            _ = _connection.TryCall("PING");
            return true;
        }
        catch (ToolException)
        {
            return false;
        }
    }

    public void Dispose() => _connection?.Dispose();

    private string? TryTell(string section, string field)
    {
        try
        {
            _connection ??= ServerConnection.Open(address);
            return _connection.Info(section).GetValueOrDefault(field);
        }
        catch (ToolException)
        {
            _connection?.Dispose();
            _connection = null;
            return null;
        }
    }
}
