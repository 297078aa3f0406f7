namespace Cache.Server.Commands;

/// <summary>
/// The requests that were denied last, the youngest first, equal ones within a minute as one. Thread-safe.
/// </summary>
internal sealed class AclLog
{
    /// <summary>The most entries that may be asked for: their keys may be long.</summary>
    public const int LengthMax = 100_000;

    // Redis's: within this time the same again is one entry.
    private const long GroupingMs = 60_000;

    // So many of the youngest entries are compared, as in Redis; and so much of a key or of a name is kept.
    private const int ComparedCount = 10;
    private const int CharactersMax = 1024;

    private readonly Lock _lock = new();
    private readonly LinkedList<AclLogEntry> _entries = [];

    /// <summary>Adds what was denied, or counts it where it is known.</summary>
    /// <param name="denial">Why.</param>
    /// <param name="name">
    /// The command, the key, how it was tried to authenticate, or the name of the certificate.
    /// </param>
    /// <param name="userName">Who.</param>
    /// <param name="client">Its client.</param>
    /// <param name="server">Whose client.</param>
    public void Add(AclDenial denial, string name, string userName, ClientSession client, ServerState server)
    {
        var text = new System.Text.StringBuilder();
        ClientDescription.Append(text, client, server);
        lock (_lock)
        {
            var entry = Take(new AclLogEntry(denial, Shorten(name), Shorten(userName)), server.NowMs);
            entry.AtMs = server.NowMs;
            entry.Client = text.ToString().TrimEnd('\n');
            _entries.AddFirst(entry);
            while (_entries.Count > server.Settings.AclLogLengthMax)
                _entries.RemoveLast();
        }
    }

    /// <summary>The youngest entries, copied.</summary>
    public List<AclLogEntry> GetLast(long count)
    {
        var entries = new List<AclLogEntry>();
        lock (_lock)
        {
            foreach (var entry in _entries)
            {
                if (entries.Count >= count)
                    break;
                entries.Add(entry with { });
            }
        }

        return entries;
    }

    public void Clear()
    {
        lock (_lock)
            _entries.Clear();
    }

    /// <summary>What is kept of a key or a name: whoever has more need not make a text of it.</summary>
    public static ReadOnlySpan<byte> Shorten(ReadOnlySpan<byte> bytes) =>
        bytes.Length <= CharactersMax ? bytes : bytes[..CharactersMax];

    private static string Shorten(string text) => text.Length <= CharactersMax ? text : text[..CharactersMax];

    /// <summary>The entry that this is one more of, taken out of the list; or itself.</summary>
    private AclLogEntry Take(AclLogEntry next, long nowMs)
    {
        int compared = 0;
        for (var node = _entries.First; node is not null && compared < ComparedCount; node = node.Next, compared++)
        {
            var entry = node.Value;
            if (entry.Denial != next.Denial || entry.Object != next.Object || entry.UserName != next.UserName
                || nowMs - entry.AtMs > GroupingMs)
                continue;
            _entries.Remove(node);
            entry.Count++;
            return entry;
        }

        return next;
    }
}
