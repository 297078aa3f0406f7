using System.Globalization;
using System.Text;
using Cache.Near;

namespace NearPages;

/// <summary>
/// Reads the note two hundred times a second, and keeps how old each new one was when it was seen here.
/// </summary>
/// <remarks>Almost all of these reads are answered by this process: the server is asked once after each
/// change.</remarks>
internal sealed class Watcher(INearCache cache) : BackgroundService
{
    public const string Key = "near-pages:note";

    private const int AgesMax = 20;

    private readonly Lock _gate = new();
    private readonly Queue<double> _ages = new();

    public string Note { get; private set; } = "";

    /// <summary>In milliseconds, from before the write until it was seen; of the last ones.</summary>
    public double[] AgesMs
    {
        get
        {
            lock (_gate)
                return [.. _ages];
        }
    }

    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        string last = "";
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(5), TimeProvider.System);
        while (await timer.WaitForNextTickAsync(stoppingToken))
        {
            string now = await cache.GetAsync(Key, stoppingToken) is { } bytes ? Encoding.UTF8.GetString(bytes) : last;
            int space = now.IndexOf(' ', StringComparison.Ordinal);
            if (now == last || space < 0)
                continue;
            if (last.Length > 0)
                Add(long.Parse(now.AsSpan(0, space), CultureInfo.InvariantCulture));
            Note = now[(space + 1)..];
            last = now;
        }
    }

    private void Add(long writtenTicks)
    {
        long ticks = TimeProvider.System.GetUtcNow().Ticks - writtenTicks;
        lock (_gate)
        {
            _ages.Enqueue(Math.Round(ticks / (double)TimeSpan.TicksPerMillisecond, 2));
            if (_ages.Count > AgesMax)
                _ages.Dequeue();
        }
    }
}
