using System.Globalization;
using System.Text;
using Cache.Durability.Rdb;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>The server that entries and commands are put into.</summary>
/// <remarks>
/// Algorithm: requests leave in a pipeline that is bounded by their number and bytes; a thread takes the replies in
/// order. Concurrency: one thread sends, one receives; the queue between them, the offsets and the failure are under
/// the gate. While nothing is under way a timer sends PING, under the gate too. Invariants: a request is in the queue
/// before its first byte is sent, so that an empty queue says that none is half sent; after a failure nothing is sent
/// any more, since nobody knows what of the pipeline was done.
/// </remarks>
internal sealed partial class Target : IDisposable
{
    // What a server may have before it: enough that it never waits for us, and no load for its memory.
    private const int InFlightMax = 4_096;
    private const long InFlightBytesMax = 32 << 20;

    // Requests leave when there are so many bytes of them; longer arguments leave on their own, not copied.
    private const int BatchBytes = 128 << 10;

    // Long commands of the stream, or a value of hundreds of megabytes, take a server seconds.
    private const int PatienceMs = 120_000;

    // Servers close connections that are idle: by their `timeout`, of whole seconds.
    private static readonly TimeSpan s_signEvery = TimeSpan.FromSeconds(1);

    private const int NoDatabase = -1;

    private const string OutOfMemory = "OOM";

    private readonly ServerConnection _connection;
    private readonly ServerAddress _address;
    private readonly ImportCounts _counts;
    private readonly bool _replaces;
    private readonly RequestBuffer _output = new();
    private readonly HashSet<int> _databases = [];
    private readonly Thread _receiver;
    private readonly ITimer _timer;
    private int _database;
    private bool _hasExpiry; // Of the entry that is being put.

    private Target(ServerAddress address, ImportCounts counts, bool replaces, TimeProvider time)
    {
        (_connection, _address, _counts, _replaces) = (OpenAnother(address), address, counts, replaces);
        _receiver = new Thread(TakeReplies) { IsBackground = true, Name = "replies of the target" };
        _receiver.Start();
        _timer = time.CreateTimer(_ => KeepAlive(), null, s_signEvery, s_signEvery);
    }

    public static Target Open(ServerAddress address, ImportCounts counts, bool replaces, TimeProvider time)
    {
        using var first = OpenAnother(address);
        first.Call("PING"); // A password that is missing is told once, and not for each key.
        return new Target(address, counts, replaces, time);
    }

    /// <summary>Whether it has any key; true where it does not say.</summary>
    public bool HasKeys()
    {
        using var control = OpenAnother(_address);
        var reply = control.TryCall("INFO", "keyspace");
        return reply.Kind == ReplyKind.Error || reply.Text.Contains("keys=", StringComparison.Ordinal);
    }

    /// <summary>Removes all keys of a database, or of all.</summary>
    public void Empty(int? database)
    {
        Drain();
        using var control = OpenAnother(_address);
        if (database is { } one)
            control.Call("SELECT", one.ToString(CultureInfo.InvariantCulture));
        control.Call(database is null ? "FLUSHALL" : "FLUSHDB");
        _databases.Clear();
    }

    /// <summary>Chooses the database of what follows.</summary>
    /// <returns>False if the server has none of that number.</returns>
    public bool TrySelect(int database)
    {
        if (database == _database)
            return true;
        if (!_databases.Contains(database))
        {
            string number = database.ToString(CultureInfo.InvariantCulture);
            using var control = OpenAnother(_address);
            var reply = control.TryCall("SELECT", number);
            if (reply.Kind == ReplyKind.Error && IsMissing(reply))
                return false;
            if (reply.Kind == ReplyKind.Error)
                throw new ToolException($"The target refuses SELECT: {reply.Text}");
            _databases.Add(database);
        }

        Select(database);
        return true;
    }

    /// <summary>Chooses the database again: a group that the server gave up has not chosen it.</summary>
    public void SelectAgain()
    {
        if (_database != NoDatabase)
            Select(_database);
    }

    /// <summary>Gives up a group that was begun.</summary>
    public void Discard()
    {
        Call("DISCARD"u8.ToArray());
        _database = NoDatabase; // A SELECT of the group was queued, not done.
    }

    // By the number; others are of rights, or of a server that serves nobody now.
    private static bool IsMissing(Reply refusal) => refusal.Text.StartsWith("ERR ", StringComparison.Ordinal);

    /// <summary>Puts an entry whose value is as a file has it.</summary>
    public void Restore(in RdbEntry entry, int version)
    {
        var value = entry.Value.Span;
        int length = 1 + value.Length + RdbPayload.FooterLength;
        BeginRestore(entry.Key.Span, entry.Type, length, entry.ExpiresAtMs);
        _output.AddRaw([(byte)entry.Type]);
        AddLong(value);
        Span<byte> footer = stackalloc byte[RdbPayload.FooterLength];
        RdbPayload.WriteFooter(entry.Type, value, version, footer);
        _output.AddRaw(footer);
        EndRestore();
    }

    /// <summary>Puts an entry of a payload.</summary>
    public void Restore(ReadOnlySpan<byte> key, ReadOnlySpan<byte> payload, long? expiresAtMs)
    {
        var type = payload.IsEmpty ? RdbType.String : (RdbType)payload[0];
        BeginRestore(key, type, payload.Length, expiresAtMs);
        AddLong(payload);
        EndRestore();
    }

    /// <summary>Puts a command of the source's stream.</summary>
    public void Forward(ReplicatedCommand command, long offset)
    {
        Admit(new Pending(
            PendingKind.Command, command.Name, _database, command.Key.ToArray(), command.Bytes.Length, offset));
        AddLong(command.Bytes);
        FlushLong();
    }

    /// <summary>Adds a request that belongs to an entry, whose refusal is that of the entry.</summary>
    public RequestBuffer Part(string name, byte[] key, int bytes)
    {
        FlushLong();
        Admit(new Pending(PendingKind.Part, name, _database, key, bytes));
        return _output;
    }

    /// <summary>Calls a command behind all that was sent.</summary>
    public Reply Call(params ReadOnlySpan<byte[]> words)
    {
        Drain();
        Admit(new Pending(PendingKind.Call, Encoding.ASCII.GetString(words[0]), _database, [], 0));
        _output.Begin(words.Length);
        foreach (byte[] word in words)
            _output.Add(word);
        Drain();
        return TakeReply();
    }

    /// <summary>Sends what is waiting to leave.</summary>
    public void Flush()
    {
        ThrowIfFailed();
        if (_output.Length == 0)
            return;
        Send(_output.Written);
        _output.Clear();
    }

    public void Dispose()
    {
        Close();
        _timer.Dispose();
        _connection.Dispose();
        _receiver.Join();
    }

    // Each time: one that is kept would be idle for long, and be closed.
    private static ServerConnection OpenAnother(ServerAddress address) => ServerConnection.Open(address, PatienceMs);

    private void Select(int database)
    {
        Admit(new Pending(PendingKind.Part, "SELECT", database, [], 0));
        _output.Begin(2).Add("SELECT"u8).Add(database);
        _database = database;
    }

    private void Send(ReadOnlySpan<byte> bytes)
    {
        try
        {
            _connection.SendRaw(bytes);
        }
        catch (ToolException failure)
        {
            throw Lost(failure);
        }
    }

    private void BeginRestore(ReadOnlySpan<byte> key, RdbType type, int length, long? expiresAtMs)
    {
        string name = RdbSkipper.NameOf(type) ?? "unknown type";
        Admit(new Pending(PendingKind.Entry, name, _database, key.ToArray(), length));
        _output.Begin(4 + (expiresAtMs is null ? 0 : 1) + (_replaces ? 1 : 0))
            .Add("RESTORE"u8).Add(key).Add(expiresAtMs ?? 0);
        _hasExpiry = expiresAtMs is not null;
        _output.BeginWord(length);
    }

    private void EndRestore()
    {
        _output.EndWord();
        if (_replaces)
            _output.Add("REPLACE"u8);
        if (_hasExpiry)
            _output.Add("ABSTTL"u8);
        FlushLong();
    }

    private void AddLong(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < BatchBytes)
        {
            _output.AddRaw(bytes);
            return;
        }

        Flush();
        Send(bytes);
    }

    private void FlushLong()
    {
        if (_output.Length >= BatchBytes)
            Flush();
    }
}
