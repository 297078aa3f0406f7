using System.Globalization;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Reads all keys of a server by SCAN and DUMP, with their expiry.</summary>
/// <remarks>
/// Keys that are there all the time are met at least once, some perhaps twice; of those that change meanwhile, some
/// state of that time. Requests are a window whose length follows the lengths of the payloads: the server has its
/// replies in memory.
/// </remarks>
internal sealed class ScanSource : IDisposable
{
    private const int KeysPerScan = 512;

    // What a server may have of replies before it: some of the usual size, one of the longest.
    private const int WindowMax = 256;
    private const long WindowBytes = 8 << 20;

    // The longest text that a server takes as one argument, so that a longer payload could be put nowhere.
    private const int PayloadBytesMax = 512 << 20;

    private const int PatienceMs = 120_000;

    private readonly ServerConnection _source;
    private readonly TimeProvider _time;
    private readonly string _expiryCommand;
    private long _longest = WindowBytes / 16;

    public ScanSource(ServerAddress address, TimeProvider time)
    {
        _time = time;
        _source = ServerConnection.Open(address, PatienceMs, PayloadBytesMax);
        try
        {
            // Redis before 7.0 tells the time that is left.
            bool tellsMoments = _source.TryCall("PEXPIRETIME", "").Kind != ReplyKind.Error;
            _expiryCommand = tellsMoments ? "PEXPIRETIME" : "PTTL";
        }
        catch
        {
            _source.Dispose();
            throw;
        }
    }

    /// <summary>Reads all keys of a database, or of all.</summary>
    public void Read(int? only, Action<ScannedEntry> take)
    {
        foreach (int database in only is { } one ? [one] : Databases())
        {
            _source.Call("SELECT", database.ToString(CultureInfo.InvariantCulture));
            string cursor = "0";
            do
            {
                var page = _source.Call("SCAN", cursor, "COUNT", KeysPerScan.ToString(CultureInfo.InvariantCulture));
                if (page.Items is not [var next, { Items: var keys }])
                    throw new InvalidDataException("The reply of SCAN is none.");
                cursor = next.Text;
                ReadKeys(database, keys, take);
            }
            while (cursor != "0");
        }
    }

    public void Dispose() => _source.Dispose();

    // Those that have keys.
    private List<int> Databases()
    {
        var reply = _source.TryCall("INFO", "keyspace");
        if (reply.Kind == ReplyKind.Error)
            throw new ToolException($"The source does not tell its databases (INFO: {reply.Text}). Name one: …/DB.");
        var found = new List<int>();
        foreach (string line in reply.Text.Split("\r\n"))
        {
            int colon = line.IndexOf(':', StringComparison.Ordinal);
            if (line.StartsWith("db", StringComparison.Ordinal) && colon > 2
                && int.TryParse(line.AsSpan(2..colon), NumberStyles.None, CultureInfo.InvariantCulture, out int number))
            {
                found.Add(number);
            }
        }

        return found;
    }

    private void ReadKeys(int database, IReadOnlyList<Reply> keys, Action<ScannedEntry> take)
    {
        int sent = 0;
        for (int read = 0; read < keys.Count; read++)
        {
            int window = (int)Math.Clamp(WindowBytes / Math.Max(1, _longest), 1, WindowMax);
            if (sent == read)
                sent += Ask(keys, sent, Math.Min(window, keys.Count - sent));
            if (TryTake(database, keys[read].Bytes) is { } entry)
                take(entry);
        }
    }

    private int Ask(IReadOnlyList<Reply> keys, int first, int count)
    {
        var requests = new RequestBuffer();
        for (int i = first; i < first + count; i++)
        {
            requests.Begin(2).Add("DUMP"u8).Add(keys[i].Bytes);
            requests.Begin(2).Add(System.Text.Encoding.ASCII.GetBytes(_expiryCommand)).Add(keys[i].Bytes);
        }

        _source.SendRaw(requests.Written);
        return count;
    }

    private ScannedEntry? TryTake(int database, byte[] key)
    {
        var payload = _source.Receive();
        var expiry = _source.Receive();
        // Slowly back to short ones, at once to long ones.
        _longest = Math.Max(payload.Bytes.Length, _longest - _longest / 64);
        if (payload.Kind == ReplyKind.Error)
            return new ScannedEntry(database, key, [], null, payload.Text);
        if (expiry.Kind == ReplyKind.Error)
            return new ScannedEntry(database, key, [], null, expiry.Text);
        if (payload.Kind != ReplyKind.Text || expiry.Number == -2)
            return null; // It has gone.
        long? moment = expiry.Number < 0 ? null
            : _expiryCommand == "PTTL" ? _time.GetUtcNow().ToUnixTimeMilliseconds() + expiry.Number
            : expiry.Number;
        return new ScannedEntry(database, key, payload.Bytes, moment, null);
    }
}
