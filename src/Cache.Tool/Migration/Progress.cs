using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Tells from time to time how far it is, and how fast.</summary>
internal sealed class Progress(Report output, ImportCounts counts, TimeProvider time)
{
    // A person watches a terminal; a log is read later.
    private static readonly TimeSpan s_onTerminal = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_inLog = TimeSpan.FromSeconds(10);

    private readonly long _start = time.GetTimestamp();
    private long _last = time.GetTimestamp();
    private long _entries;
    private long _commands;
    private long _bytes;

    /// <summary>The number of all entries, where it is known.</summary>
    public long? Total { get; set; }

    public void Tick(Func<string>? more = null)
    {
        var since = time.GetElapsedTime(_last);
        if (since < (output.IsTerminal ? s_onTerminal : s_inLog))
            return;
        _last = time.GetTimestamp();
        counts.PrintRefusals(output);
        double seconds = since.TotalSeconds;
        string share = Total is > 0 and var total ? $" of {total:n0}" : "";
        string commands = counts.Commands == 0
            ? ""
            : $", {counts.Commands:n0} commands ({(counts.Commands - _commands) / seconds:n0}/s)";
        output.Line(
            $"{counts.Seen:n0}{share} entries ({(counts.Seen - _entries) / seconds:n0}/s){commands}, "
            + $"{(counts.Bytes - _bytes) / seconds / (1 << 20):n1} MB/s{more?.Invoke()}");
        (_entries, _commands, _bytes) = (counts.Seen, counts.Commands, counts.Bytes);
    }

    public void End()
    {
        counts.Print(output);
        double seconds = Math.Max(0.001, time.GetElapsedTime(_start).TotalSeconds);
        output.Line(
            $"{seconds:n1} s, {counts.Seen / seconds:n0} entries/s, {counts.Bytes / seconds / (1 << 20):n1} MB/s.");
    }
}
