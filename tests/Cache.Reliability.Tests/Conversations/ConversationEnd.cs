using System.Globalization;
using System.Text;
using Cache.Reliability.Tests.Fuzz;
using Cache.Testing;

namespace Cache.Reliability.Tests.Conversations;

/// <summary>What the server has told a client, divided into replies, messages and invalidated keys.</summary>
internal sealed class ConversationEnd(InMemoryClient client)
{
    private const string Invalidation = "$10\r\ninvalidate\r\n";

    private readonly StringBuilder _unread = new();
    private readonly StringBuilder _replies = new();
    private readonly StringBuilder _pushes = new();
    private readonly SortedSet<string> _invalid = new(StringComparer.Ordinal);

    public InMemoryClient Client => client;

    /// <summary>The server's number of the connection.</summary>
    public string Id { get; private set; } = "";

    /// <summary>Takes the replies of HELLO 3 and CLIENT ID.</summary>
    public void TakeId()
    {
        Receive();
        string replies = _replies.ToString();
        Id = replies[(replies.LastIndexOf(':') + 1)..].TrimEnd();
        Clear();
    }

    public void Receive()
    {
        byte[] bytes = client.ReadAll();
        if (bytes.Length == 0)
            return;
        string text = _unread.Append(Encoding.Latin1.GetString(bytes)).ToString();
        int start = 0;
        var reply = new StringBuilder();
        List<string> pushes = [];
        for (int end = Read(text, 0, reply, pushes); end > 0; end = Read(text, end, reply, pushes))
        {
            _replies.Append(reply);
            pushes.ForEach(Note);
            reply.Clear();
            pushes.Clear();
            start = end;
        }

        _unread.Remove(0, start);
    }

    public bool IsTold(ConversingClient expected) =>
        _unread.Length == 0 && _replies.Equals(expected.Replies) && _pushes.Equals(expected.Pushes)
        && _invalid.IsSupersetOf(expected.Invalid)
        && _invalid.All(key => expected.Invalid.Contains(key) || expected.PerhapsInvalid.Contains(key));

    public void Clear()
    {
        _replies.Clear();
        _pushes.Clear();
        _invalid.Clear();
    }

    public override string ToString() =>
        $"'{_replies}' '{_pushes}' {string.Join(',', _invalid)} {_unread}"
            .Replace("\r\n", " ", StringComparison.Ordinal);

    private void Note(string push)
    {
        if (push.IndexOf(Invalidation, StringComparison.Ordinal) != 4)
            _pushes.Append(push);
        else
            _invalid.UnionWith(KeysIn(push[(4 + Invalidation.Length)..].Split("\r\n")));
    }

    // Behind the header of the array a header and a name for each.
    private static IEnumerable<string> KeysIn(string[] lines)
    {
        for (int i = 2; i < lines.Length; i += 2)
            yield return lines[i];
    }

    // Redis 7.0 sends what a client publishes to itself within EXEC between the replies in its array.
    private static int Read(string text, int start, StringBuilder reply, List<string> pushes)
    {
        if (start >= text.Length || text[start] != '>')
            return ReadReply(text, start, reply, pushes);
        var push = new StringBuilder();
        int end = ReadReply(text, start, push, pushes);
        pushes.Add(push.ToString());
        return end;
    }

    // 0: it is not whole yet.
    private static int ReadReply(string text, int start, StringBuilder reply, List<string> pushes)
    {
        int line = start < text.Length ? text.IndexOf("\r\n", start, StringComparison.Ordinal) : -1;
        if (line < 0)
            return 0;
        int end = line + 2;
        reply.Append(text, start, end - start);
        switch (text[start])
        {
            case '$':
                int length = CountIn(text, start, line) + 2;
                reply.Append(text, end, Math.Min(length, text.Length - end));
                return end + length <= text.Length ? end + length : 0;
            case '*' or '>' or '%':
                for (int i = CountIn(text, start, line) * (text[start] == '%' ? 2 : 1); i > 0 && end > 0; i--)
                {
                    while (end > 0 && end < text.Length && text[end] == '>')
                        end = Read(text, end, reply, pushes);
                    end = end > 0 ? ReadReply(text, end, reply, pushes) : 0;
                }

                return end;
            case '+' or '-' or ':' or '_':
                return end;
            default:
                throw new FuzzFailureException($"Not a reply: {text[start..Math.Min(text.Length, start + 100)]}");
        }
    }

    private static int CountIn(string text, int start, int line) =>
        int.Parse(text.AsSpan(start + 1, line - start - 1), CultureInfo.InvariantCulture);
}
