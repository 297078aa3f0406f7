using Cache.Core;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Walks over all entries again and again: what prefixes take, and which keys are the largest.</summary>
/// <remarks>
/// In slices of a millisecond, after each of which it rests for two hundred times as long: half a hundredth of one
/// processor, and some ten minutes for ten million entries. Between two passes it rests for a minute. A slice takes no
/// lock but the scan's, of a bucket at a time. Who asks gets what the last complete pass has found; before there is
/// one, what the first has found so far.
/// </remarks>
internal sealed class KeyspaceSweep : IAsyncDisposable
{
    /// <summary>The rest between two passes.</summary>
    public static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    // Longer than the system's clock is coarse, and short for a client whose thread's processor it takes.
    private static readonly TimeSpan SliceMax = TimeSpan.FromMilliseconds(1);

    private const int RestPerWork = 200;

    // Some microseconds: the time is looked at between two calls.
    private const int KeysPerCall = 32;

    // For a clock that stands still, as a test's does, and one that is coarse.
    private const int CallsPerSlice = 128;

    // A pass that has not seen all yet is shown again after so many slices, a second or so.
    private const int SlicesPerLook = 5;

    private readonly ServerState _server;
    private readonly ITimer _timer;
    private readonly Lock _gate = new();
    private readonly LargestKeys _largest = new();
    private readonly PrefixTable _prefixes = new();
    private ulong _cursor;
    private int _database;
    private long _keys;
    private int _slices;
    private byte _separator;
    private bool _hasBegun;
    private int _flushes;

    public KeyspaceSweep(ServerState server)
    {
        _server = server;
        var rest = RestPerWork * SliceMax;
        _timer = server.TimeProvider.CreateTimer(
            static self => ((KeyspaceSweep)self!).Continue(), this, rest, Timeout.InfiniteTimeSpan);
    }

    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    /// <summary>Works for a slice.</summary>
    /// <returns>How long to rest.</returns>
    public TimeSpan Step()
    {
        lock (_gate)
        {
            if (!_hasBegun || _separator != _server.Settings.PrefixSeparator || _flushes != _server.Flushes)
                Begin();
            long start = _server.TimeProvider.GetTimestamp();
            TimeSpan spent;
            int calls = 0;
            do
            {
                if (!TryTakeKeys())
                {
                    Publish(isComplete: true);
                    _hasBegun = false;
                    return Pause;
                }

                spent = _server.TimeProvider.GetElapsedTime(start);
            }
            while (spent < SliceMax && ++calls < CallsPerSlice);

            if (_server.KeyspacePass is not { IsComplete: true } && _slices++ % SlicesPerLook == 0)
                Publish(isComplete: false);
            return RestPerWork * (spent > SliceMax ? spent : SliceMax);
        }
    }

    private void Continue()
    {
        var rest = Pause;
        try
        {
            if (!_server.IsStoreDisposed)
                rest = Step();
        }
#pragma warning disable CA1031 // No figure is worth the process: the store was disposed, memory is short, or a defect.
        catch (Exception)
#pragma warning restore CA1031
        {
            _hasBegun = false; // The next pass begins after the pause.
        }

        try
        {
            _timer.Change(rest, Timeout.InfiniteTimeSpan);
        }
        catch (ObjectDisposedException)
        {
            // The server stops.
        }
    }

    private void Begin()
    {
        _prefixes.Clear();
        _largest.Clear();
        _separator = _server.Settings.PrefixSeparator;
        _flushes = _server.Flushes;
        (_cursor, _database, _keys, _slices) = (0, 0, 0, 0);
        _hasBegun = true;
    }

    /// <returns>False if there are no more.</returns>
    private bool TryTakeKeys()
    {
        var sink = new Sink(this, _server.Databases[_database]);
        _cursor = sink.Store.Scan(_cursor, KeysPerCall, ref sink);
        if (_cursor == 0)
            _database++;
        return _database < _server.Databases.Count;
    }

    private void Take(ReadOnlySpan<byte> key, CacheStore store)
    {
        if (!store.TryPeekInfo(key, out var info))
            return;
        long restMs = info.ExpiresAtMs == 0 ? 0 : Math.Max(0, info.ExpiresAtMs - _server.NowMs);
        var figures = new PrefixFigures
        {
            Keys = 1,
            Size = info.MemoryBytes,
            Expiring = info.ExpiresAtMs == 0 ? 0 : 1,
            TimeToLiveMs = restMs,
        };
        _prefixes.Add(key, _separator, figures);
        _largest.Add(key, _database, info.MemoryBytes, info.Length);
        _keys++;
    }

    private void Publish(bool isComplete)
    {
        if (_flushes != _server.Flushes)
            return; // What it has seen is gone.
        var shown = new PrefixTable();
        shown.Add(_prefixes, factor: 1);
        _server.KeyspacePass = new KeyspacePass(
            shown, _largest.ToArray(), _separator, _keys, _server.NowMs, isComplete);
        if (_flushes != _server.Flushes)
            _server.KeyspacePass = null; // It came in between, and had forgotten the one before.
    }

    private readonly struct Sink(KeyspaceSweep sweep, CacheStore store) : IKeySink
    {
        public CacheStore Store => store;

        public bool IsFull => false;

        public void Take(ReadOnlySpan<byte> key) => sweep.Take(key, store);
    }
}
