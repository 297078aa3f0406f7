using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>What became of entries and commands, by type and reason. Threads: any.</summary>
internal sealed class ImportCounts
{
    // So many refusals are told by key; of the others the number.
    private const int LinesMax = 20;

    // A target that refuses all would only be asked in vain: a user without rights, a read-only replica.
    private const int RefusalsMax = 1_000;

    // Words that begin errors are the server's, which may be anybody.
    private const int CodesMax = 64;

    private const string OtherCodes = "others";

    private readonly Lock _gate = new();
    private readonly SortedDictionary<string, long> _taken = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, long> _left = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, long> _refused = new(StringComparer.Ordinal);
    private readonly Queue<string> _lines = [];
    private int _lineCount;

    public long Taken { get; private set; }

    public long Commands { get; private set; }

    public long Bytes { get; private set; }

    public long Refused { get; private set; }

    /// <summary>Entries that came by, taken or not.</summary>
    public long Seen { get; private set; }

    public void NoteTaken(string type, int bytes)
    {
        lock (_gate)
        {
            _taken[type] = _taken.GetValueOrDefault(type) + 1;
            (Taken, Seen, Bytes) = (Taken + 1, Seen + 1, Bytes + bytes);
        }
    }

    public void NoteCommand(int bytes)
    {
        lock (_gate)
            (Commands, Bytes) = (Commands + 1, Bytes + bytes);
    }

    /// <summary>Notes an entry that is left, for no fault.</summary>
    public void NoteLeft(string why)
    {
        lock (_gate)
        {
            Seen++;
            _left[why] = _left.GetValueOrDefault(why) + 1;
        }
    }

    /// <summary>Notes an entry or a command that could not be taken.</summary>
    /// <exception cref="ToolException">There are too many of them.</exception>
    public void NoteRefused(in Pending what, string reason)
    {
        lock (_gate)
        {
            Seen += what.Kind == PendingKind.Entry ? 1 : 0;
            string code = reason.Split(' ')[0];
            if (_refused.Count >= CodesMax && !_refused.ContainsKey(code))
                code = OtherCodes;
            _refused[code] = _refused.GetValueOrDefault(code) + 1;
            string line = TextOf(what, reason);
            if (_lineCount++ < LinesMax)
                _lines.Enqueue(line);
            if (++Refused >= RefusalsMax)
                throw new ToolException($"Stopped after {RefusalsMax} refusals. The last one: {line}");
        }
    }

    public static string TextOf(in Pending what, string reason) =>
        $"refused: {what.Name} {KeyText.Of(what.Key)} of database {what.Database}: {reason}";

    /// <summary>Tells the refusals that were not told yet.</summary>
    public void PrintRefusals(Report output)
    {
        lock (_gate)
        {
            while (_lines.TryDequeue(out string? line))
                output.Line(line);
        }
    }

    public void Print(Report output)
    {
        PrintRefusals(output);
        lock (_gate)
        {
            string types = string.Join(", ", _taken.Select(static one => $"{one.Value:n0} of type {one.Key}"));
            output.Line($"taken: {Taken:n0} entries{(types.Length == 0 ? "" : ": ")}{types}.");
            if (Commands != 0)
                output.Line($"taken: {Commands:n0} commands of the source's stream.");
            foreach (var (why, count) in _left)
                output.Line($"not taken: {count:n0} {why}.");
            foreach (var (code, count) in _refused)
                output.Line($"refused: {count:n0} with {code}.");
        }
    }
}
