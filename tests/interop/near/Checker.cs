using System.Diagnostics;
using System.Globalization;
using System.Text;
using Cache.Client;

namespace NearRig;

/// <summary>
/// Writers with numbered values, and readers that compare what they get with what was acknowledged before.
/// </summary>
/// <remarks>
/// Each key has one writer, whose values are 1, 2, 3 …; a version counts from the moment that its write was
/// acknowledged. A read may not give a version if a later one was acknowledged more than the bound before the read
/// began (lines 1, 2 and 4 of the promise). Line 3: who has awaited its own write never reads an older one, unless that
/// failed: the network may have kept it, and then it reaches the server behind later ones. A read without a value is
/// none of these.
/// </remarks>
internal sealed class Checker(ISubject near, ISubject writer, string prefix, int keyCount, double boundMs)
{
    // Acknowledgements that are older decide nothing.
    private const int HistoryCount = 64;

    private readonly string[] _keys = [.. Enumerable.Range(0, keyCount).Select(i => $"{prefix}{i}")];
    private readonly Queue<(long Version, double AckedMs)>[] _acked =
        [.. Enumerable.Range(0, keyCount).Select(_ => new Queue<(long, double)>())];
    private readonly long[] _settled = new long[keyCount];
    private readonly long[] _versions = new long[keyCount];
    private readonly CancellationTokenSource _stop = new();
    private readonly List<Task> _tasks = [];
    private volatile bool _pauses;
    private int _writing;
    private long _reads;
    private long _writes;
    private long _violations;

    public long Reads => Volatile.Read(ref _reads);

    public long Writes => Volatile.Read(ref _writes);

    public long Violations => Volatile.Read(ref _violations);

    public static double NowMs => Stopwatch.GetTimestamp() * 1000.0 / Stopwatch.Frequency;

    public void Start(int writers, int readers)
    {
        for (int i = 0; i < writers; i++)
        {
            int first = i;
            _tasks.Add(Task.Run(() => WriteAsync(first, writers)));
        }

        for (int i = 0; i < readers; i++)
        {
            int seed = i;
            _tasks.Add(Task.Run(() => ReadAsync(new Random(seed))));
        }

        _tasks.Add(Task.Run(WriteAndReadOwnAsync));
    }

    /// <summary>
    /// No write is under way until <see cref="Resume"/>: replicas catch up, and nothing acknowledged is lost.
    /// </summary>
    public async Task PauseAsync()
    {
        _pauses = true;
        await RedisProcess.UntilAsync(() => Task.FromResult(Volatile.Read(ref _writing) == 0), "an end of the writes");
    }

    public void Resume() => _pauses = false;

    /// <summary>
    /// Compares what is here with what the server has, while nobody writes: what is kept wrong would stay wrong.
    /// </summary>
    public async Task CompareAsync()
    {
        await PauseAsync();
        await Task.Delay(TimeSpan.FromMilliseconds(boundMs));
        for (int i = 0; i < _keys.Length; i++)
        {
            if (await near.GetLocalAsync(_keys[i]) is { } local
                && await writer.GetAsync(_keys[i]) is { } there
                && !local.AsSpan().SequenceEqual(there))
            {
                Report($"{_keys[i]} is {Encoding.ASCII.GetString(local)} here for good, "
                    + $"{Encoding.ASCII.GetString(there)} there");
            }
        }

        Resume();
    }

    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        Resume();
        await Task.WhenAll(_tasks);
    }

    private async Task WriteAsync(int first, int step)
    {
        while (!_stop.IsCancellationRequested)
        {
            for (int i = first; i < _keys.Length && !_stop.IsCancellationRequested; i += step)
                await WriteOneAsync(i);
            await Task.Delay(5);
        }
    }

    private async Task WriteOneAsync(int key)
    {
        if (_pauses)
        {
            await Task.Delay(5);
            return;
        }

        Interlocked.Increment(ref _writing);
        try
        {
            long version = ++_versions[key];
            await writer.SetAsync(_keys[key], Encoding.ASCII.GetBytes(version.ToString(CultureInfo.InvariantCulture)));
            lock (_acked[key])
            {
                _acked[key].Enqueue((version, NowMs));
                if (_acked[key].Count > HistoryCount)
                    _settled[key] = _acked[key].Dequeue().Version;
            }

            Interlocked.Increment(ref _writes);
        }
        catch (Exception failure) when (failure is RespClientException or TimeoutException)
        {
            // It may have been made, or not: no later read is judged by it.
        }
        finally
        {
            Interlocked.Decrement(ref _writing);
        }
    }

    private async Task ReadAsync(Random random)
    {
        while (!_stop.IsCancellationRequested)
        {
            int key = random.Next(_keys.Length);
            double began = NowMs;
            byte[]? value;
            try
            {
                value = await near.GetAsync(_keys[key]);
            }
            catch (RespClientException)
            {
                continue;
            }

            if (Interlocked.Increment(ref _reads) % 256 == 0)
                await Task.Yield();
            if (value is not null)
                Judge(key, long.Parse(value, CultureInfo.InvariantCulture), began);
            else
                await Task.Delay(1);
        }
    }

    private void Judge(int key, long version, double began)
    {
        lock (_acked[key])
        {
            long newest = 0;
            double age = 0;
            foreach (var (acked, ackedMs) in _acked[key])
            {
                if (began - ackedMs > boundMs && acked > version)
                    (newest, age) = (acked, Math.Max(age, began - ackedMs));
            }

            if (newest > 0)
                Report($"{_keys[key]} was read as {version}, {newest} was acknowledged {age:0} ms before");
        }
    }

    private async Task WriteAndReadOwnAsync()
    {
        string key = prefix + "own";
        HashSet<long> failed = [];
        for (long version = 1; !_stop.IsCancellationRequested; version++)
        {
            if (_pauses)
            {
                await Task.Delay(5);
                continue;
            }

            Interlocked.Increment(ref _writing);
            failed.Add(version);
            try
            {
                await near.SetAsync(key, Encoding.ASCII.GetBytes(version.ToString(CultureInfo.InvariantCulture)));
                failed.Remove(version);
                long read = await near.GetAsync(key) is { } value
                    ? long.Parse(value, CultureInfo.InvariantCulture)
                    : version;
                if (read < version && !failed.Contains(read))
                    Report($"own write {version} was read as {read}");
            }
            catch (Exception failure) when (failure is RespClientException or TimeoutException)
            {
                await Task.Delay(5);
            }
            finally
            {
                Interlocked.Decrement(ref _writing);
            }
        }
    }

    private void Report(string what)
    {
        if (Interlocked.Increment(ref _violations) <= 5)
            Console.WriteLine($"VIOLATION {what}");
    }
}
