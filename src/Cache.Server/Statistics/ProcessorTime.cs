using System.Globalization;

namespace Cache.Server.Statistics;

/// <summary>Processor time in the kernel and in user mode.</summary>
internal readonly record struct ProcessorTime(TimeSpan System, TimeSpan User)
{
    // Linux writes these times in hundredths of a second, whatever its own ticks are (USER_HZ).
    private const long TicksPerUnit = TimeSpan.TicksPerSecond / 100;

    // In proc/[pid]/stat, counted behind the name: utime, stime, cutime, cstime are fields 14 to 17 of all.
    private const int UserIndex = 11;

    /// <summary>
    /// The time of the child processes that were waited for, and of the first thread; zero if unknown.
    /// </summary>
    public static (ProcessorTime Children, ProcessorTime MainThread) Read()
    {
        string task = string.Create(CultureInfo.InvariantCulture, $"/proc/self/task/{Environment.ProcessId}/stat");
        return (Parse(ReadText("/proc/self/stat"), UserIndex + 2), Parse(ReadText(task), UserIndex));
    }

    /// <summary>Reads two neighboring times, user's first.</summary>
    /// <param name="stat">The line that the kernel writes; the name in it may contain blanks and parentheses.</param>
    /// <param name="index">The first of the two, counted behind the name.</param>
    public static ProcessorTime Parse(string stat, int index)
    {
        string[] fields = stat[(stat.LastIndexOf(')') + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return fields.Length > index + 1
            && long.TryParse(fields[index], NumberStyles.None, CultureInfo.InvariantCulture, out long user)
            && long.TryParse(fields[index + 1], NumberStyles.None, CultureInfo.InvariantCulture, out long system)
            ? new ProcessorTime(new TimeSpan(system * TicksPerUnit), new TimeSpan(user * TicksPerUnit))
            : default;
    }

    private static string ReadText(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
