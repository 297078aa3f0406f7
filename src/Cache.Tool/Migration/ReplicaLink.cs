using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>A connection on which a source takes us for its replica.</summary>
/// <remarks>
/// The stream of commands starts only after a REPLCONF ACK that follows the snapshot. Each second the source hears that
/// we live: a line end while the snapshot is taken, the place in its stream later; before, nothing, since it puts off a
/// snapshot from its memory until all who want one have been silent for some seconds. Concurrency: one thread reads;
/// what is written is under the gate.
/// </remarks>
internal sealed class ReplicaLink : IDisposable
{
    // As repl-timeout: a source pings every ten seconds.
    private const int PatienceMs = 60_000;

    private static readonly TimeSpan s_every = TimeSpan.FromSeconds(1);

    private readonly ServerConnection _connection;
    private readonly Lock _gate = new();
    private readonly ITimer _timer;
    private Func<long>? _place;
    private bool _isTaking;

    private ReplicaLink(ServerConnection connection, TimeProvider time)
    {
        _connection = connection;
        Reader = new LinkReader(connection.Stream);
        _timer = time.CreateTimer(_ => Tell(), null, s_every, s_every);
    }

    public LinkReader Reader { get; }

    /// <summary>The name of the source's stream.</summary>
    public string Id { get; private set; } = "";

    /// <summary>The place in it from which on commands follow.</summary>
    public long Offset { get; private set; }

    /// <summary>Whether commands follow at once; otherwise a snapshot does.</summary>
    public bool Continues { get; private set; }

    /// <summary>Connects, and asks for the stream behind a place.</summary>
    /// <param name="address">The source.</param>
    /// <param name="id">The name of the stream that is known; empty: none.</param>
    /// <param name="offset">The place up to which it was read.</param>
    /// <param name="time">The time.</param>
    /// <param name="stop">Ends the wait for a snapshot.</param>
    /// <exception cref="SourceRefusal">The source refuses it.</exception>
    /// <exception cref="LinkLost">The source is lost, or not ready.</exception>
    public static ReplicaLink Open(
        ServerAddress address, string id, long offset, TimeProvider time, CancellationToken stop)
    {
        var connection = ServerConnection.Open(address, PatienceMs);
        using var registration = stop.Register(connection.Abort);
        ReplicaLink? link = null;
        try
        {
            string port = Math.Max(1, connection.LocalPort).ToString(CultureInfo.InvariantCulture);
            connection.TryCall("REPLCONF", "listening-port", port); // An older source may not know it, as in Redis.
            connection.TryCall("REPLCONF", "capa", "eof", "capa", "psync2");
            link = new ReplicaLink(connection, time);
            link.Synchronize(id, offset);
            return link;
        }
        catch
        {
            link?.Dispose();
            connection.Dispose();
            throw;
        }
    }

    /// <summary>Waits until the source sends its snapshot.</summary>
    public SnapshotStream TakeSnapshot()
    {
        var snapshot = new SnapshotStream(Reader);
        lock (_gate)
            _isTaking = true;
        return snapshot;
    }

    /// <summary>From now on the source hears the place up to which all is done.</summary>
    public void Follow(Func<long> place)
    {
        lock (_gate)
            _place = place;
        Tell();
    }

    /// <summary>Tells the source that we live.</summary>
    public void Tell()
    {
        try
        {
            lock (_gate)
            {
                if (_place is { } place)
                    SendPlace(place());
                else if (_isTaking)
                    _connection.SendRaw("\n"u8);
            }
        }
        catch (Exception failure) when (failure is ToolException or ObjectDisposedException or SocketException)
        {
            // Who reads learns it.
        }
    }

    /// <summary>Ends a read, on any thread.</summary>
    public void Abort() => _connection.Abort();

    public void Dispose()
    {
        _timer.Dispose();
        _connection.Dispose();
    }

    private void SendPlace(long place) => _connection.Send(
        "REPLCONF"u8.ToArray(), "ACK"u8.ToArray(),
        Encoding.ASCII.GetBytes(place.ToString(CultureInfo.InvariantCulture)));

    private void Synchronize(string id, long offset)
    {
        string next = id.Length == 0 ? "-1" : (offset + 1).ToString(CultureInfo.InvariantCulture);
        lock (_gate)
        {
            _connection.Send(
                "PSYNC"u8.ToArray(), Encoding.ASCII.GetBytes(id.Length == 0 ? "?" : id), Encoding.ASCII.GetBytes(next));
        }

        string line;
        do
        {
            line = Reader.ReadLine();
        }
        while (line.Length == 0); // The source lives, and is not ready.
        Take(line, id, offset);
    }

    private void Take(string line, string id, long offset)
    {
        string[] words = line.Split(' ');
        if (words is ["+FULLRESYNC", var name, var place] && long.TryParse(
            place, NumberStyles.None, CultureInfo.InvariantCulture, out long from))
        {
            (Id, Offset, Continues) = (name, from, false);
        }
        else if (words[0] == "+CONTINUE" && id.Length > 0)
            (Id, Offset, Continues) = (words.Length > 1 ? words[1] : id, offset, true);
        else if (words[0] is "-LOADING" or "-NOMASTERLINK" or "-BUSY" or "-TRYAGAIN")
            throw new LinkLost($"The source is not ready: {line[1..]}");
        else if (line.StartsWith('-'))
            throw new SourceRefusal(line[1..]);
        else
            throw new InvalidDataException($"The source replies to PSYNC with what is none: {Report.Harmless(line)}");
    }
}
