using System.Collections.Concurrent;
using System.Diagnostics;
using Cache.Core.Distributed;

namespace Cache.Core.Hybrid;

/// <summary>Misses: one call runs the factory, the others wait for it.</summary>
public sealed partial class StoreHybridCache
{
    private readonly ConcurrentDictionary<string, Flight> _flights = new(StringComparer.Ordinal);
    private readonly SecondLevelWriters _secondLevelWriters = new();
    private readonly RefreshPauses? _refreshPauses;

    private ValueTask<T> Fetch<TState, T>(in Request<TState, T> request, in LocalValue<T> local)
    {
        _store.ThrowIfDisposed();
        _counters.Count(HybridCounter.Miss);
        if (local.State == LocalState.UnusableKey || !IsUsable(request.Key))
            return RunUncached(request);
        ulong[] tags = TagHashes.Of(request.Tags);
        if (!request.Plan.RunsFactory)
            return FetchFarAsync(request);
        var flight = JoinOrOpen(request, tags, out bool isFirst);
        if (isFirst)
            Start(flight, request);
        else
            _counters.CountExactly(HybridCounter.Join);
        return WaitAsync(flight, isFirst, local, request.Token);
    }

    private ValueTask<T> RunUncached<TState, T>(in Request<TState, T> request)
    {
        _counters.CountExactly(HybridCounter.RejectedKey);
        if (!request.Plan.RunsFactory)
            return default;
        _counters.CountExactly(HybridCounter.FactoryCall);
        return request.Factory(request.State, request.Token);
    }

    private TypedFlight<T> JoinOrOpen<TState, T>(
        in Request<TState, T> request, ulong[] tags, out bool isFirst)
    {
        isFirst = false;
        while (true)
        {
            if (_flights.TryGetValue(request.Key, out var present))
            {
                bool isShareable = present.SourceFlags == request.Plan.SourceFlags
                    && _invalidations.IsValid(present.Stamp, present.Tags);
                bool isOfThisGeneration = present.CoherenceTag == Volatile.Read(ref _coherenceTag);
                if (isShareable && isOfThisGeneration && present is TypedFlight<T> same && same.TryJoin())
                    return same;
                // Void, canceled, or of another type or source: its value must not replace the value of this flight.
                if (!isShareable || present is not TypedFlight<T> || present.SecondLevelBytes is null)
                    present.Supersede();
                _flights.TryRemove(KeyValuePair.Create(request.Key, present));
            }

            var flight = CreateFlight(request, tags, isRefresh: false);
            isFirst = _flights.TryAdd(request.Key, flight);
            if (isFirst)
                return flight;
        }
    }

    private TypedFlight<T> CreateFlight<TState, T>(in Request<TState, T> request, ulong[] tags, bool isRefresh) =>
        new(request.Key, request.Plan.SourceFlags, tags, hasCaller: !isRefresh)
        {
            CoherenceTag = Volatile.Read(ref _coherenceTag),
            Epoch = _invalidations.Epoch,
            Stamp = _invalidations.Now(),
            IsRefresh = isRefresh,
        };

    /// <summary>
    /// Runs a flight, on this thread until its first wait, unless this caller must be able to leave before.
    /// </summary>
    private void Start<TState, T>(TypedFlight<T> flight, Request<TState, T> request)
    {
        flight.Watched = Watch(flight.Key);
        bool mayLeave = request.Token.CanBeCanceled
            || _softTimeout != Timeout.InfiniteTimeSpan || _hardTimeout != Timeout.InfiniteTimeSpan;
        if (mayLeave)
            _ = Task.Run(() => RunAsync(flight, request), CancellationToken.None);
        else
            _ = RunAsync(flight, request);
    }

    /// <summary>Starts renewing an entry in the background, unless that is under way.</summary>
    private void Refresh<TState, T>(Request<TState, T> request)
    {
        if (_flights.ContainsKey(request.Key) || _refreshPauses!.IsPaused(request.Key, _store.CoarseNowMs))
            return;
        var flight = CreateFlight(request, TagHashes.Of(request.Tags), isRefresh: true);
        if (!_flights.TryAdd(request.Key, flight))
            return;
        _counters.CountExactly(HybridCounter.EagerRefresh);
        flight.Watched = Watch(flight.Key);
        _ = Task.Run(() => RunAsync(flight, request), CancellationToken.None);
    }

    private WatchedKey Watch(string key)
    {
        using var utf8Key = new Utf8Key(key, stackalloc byte[Utf8Key.StackBytes]);
        return _store.Watch(utf8Key.Bytes);
    }

    /// <summary>Waits for a flight, unless that flight waits for the asking factory.</summary>
    private async ValueTask<T> WaitAsync<T>(
        TypedFlight<T> flight, bool isFirst, LocalValue<T> local, CancellationToken token)
    {
        var asker = FlightWait.Current;
        if (asker is null)
            return await WaitAloneAsync(flight, isFirst, local, token).ConfigureAwait(false);
        if (!asker.TryBegin(flight.Wait))
        {
            flight.Leave();
            throw new InvalidOperationException(
                $"A factory asks for the key '{flight.Key}', whose factory waits for it: neither would ever end.");
        }

        try
        {
            return await WaitAloneAsync(flight, isFirst, local, token).ConfigureAwait(false);
        }
        finally
        {
            asker.End(flight.Wait);
        }
    }

    private async ValueTask<T> WaitAloneAsync<T>(
        TypedFlight<T> flight, bool isFirst, LocalValue<T> local, CancellationToken token)
    {
        var timeout = local.State == LocalState.Stale ? _softTimeout : _hardTimeout;
        try
        {
            var result = timeout == Timeout.InfiniteTimeSpan && !token.CanBeCanceled
                ? await flight.Task.ConfigureAwait(false)
                : await flight.Task.WaitAsync(timeout, _store.TimeProvider, token).ConfigureAwait(false);
            if (result.IsStale)
                _counters.CountExactly(HybridCounter.StaleHit);
            return (isFirst ? result.Value : result.ForJoiner(_serializers.Get<T>()))!;
        }
        catch (TimeoutException) when (!flight.Task.IsFaulted)
        {
            flight.GoOn();
            _counters.CountExactly(HybridCounter.FactoryTimeout);
            if (local.State != LocalState.Stale)
                throw new TimeoutException($"The factory of a cache entry took longer than {timeout}; it goes on.");
            _counters.CountExactly(HybridCounter.StaleHit);
            return local.Value!;
        }
        catch (Exception) when (flight.IsRefresh && flight.Task.IsFaulted && local.State == LocalState.Stale)
        {
            _counters.CountExactly(HybridCounter.StaleHit); // The value was fresh when its renewal began.
            return local.Value!;
        }
        finally
        {
            flight.Leave();
        }
    }

    private async Task RunAsync<TState, T>(TypedFlight<T> flight, Request<TState, T> request)
    {
        try
        {
            var result = await ProduceAsync(flight, request).ConfigureAwait(false);
            flight.Complete(result);
            await WriteSecondLevelAsync(flight).ConfigureAwait(false);
        }
        catch (Exception exception) // The callers get any exception of the factory.
        {
            // A flight that ends after the store's disposal has no caller left.
            if (flight.Fail(exception) && !(exception is ObjectDisposedException && _store.IsDisposed))
                Report(exception);
        }
        finally
        {
            if (flight.IsRefresh && !flight.IsRenewed && !flight.IsSupersededNow)
                _refreshPauses!.Add(flight.Key, _store.NowMs + _failSafeThrottleMs);
            _flights.TryRemove(KeyValuePair.Create<string, Flight>(flight.Key, flight));
            if (flight.SecondLevelBytes is not null)
                _secondLevelWriters.Remove(flight);
            _store.Unwatch(flight.Watched!);
        }
    }

    /// <summary>
    /// Gets the value: from the store, if it is there by now, from the second level, or from the factory.
    /// </summary>
    private async ValueTask<FlightResult<T>> ProduceAsync<TState, T>(
        TypedFlight<T> flight, Request<TState, T> request)
    {
        var serializer = _serializers.Get<T>();
        bool countsHere = CountsHere(flight.Key);
        var before = TakeSnapshot(flight.Key);
        // A previous flight writes its value before this one can begin.
        var local = request.Plan.ReadsLocal && countsHere ? Interpret(before, serializer) : default;
        if (local.State == LocalState.Fresh && !(flight.IsRefresh && IsDue(local.FreshUntilMs, request.Plan)))
        {
            flight.IsRenewed = true;
            return Share(flight, local.Value, isStale: false, before);
        }

        var fallback = local.State == LocalState.Stale ? before : default;
        if (request.Plan.ReadsSecondLevel && !flight.IsRefresh)
        {
            byte[]? far = await ReadSecondLevelAsync(flight.Key, flight.Token).ConfigureAwait(false);
            if (far is not null && TryTakeFar(flight, request.Plan, before, far, ref fallback, out var result))
                return result;
        }

        return await RunFactoryAsync(flight, request, before, fallback).ConfigureAwait(false);
    }

    private async ValueTask<FlightResult<T>> RunFactoryAsync<TState, T>(
        TypedFlight<T> flight, Request<TState, T> request, Snapshot before, Snapshot fallback)
    {
        _counters.CountExactly(HybridCounter.FactoryCall);
        using var activity = _activitySource.StartActivity("cache.factory");
        try
        {
            flight.Wait.Enter();
            var value = await request.Factory(request.State, flight.Token).ConfigureAwait(false);
            return Keep(flight, request.Plan, before, value);
        }
        catch (Exception exception) when (!flight.Token.IsCancellationRequested)
        {
            activity?.SetStatus(ActivityStatusCode.Error, exception.GetType().Name);
            _counters.CountExactly(HybridCounter.FactoryFailure);
            if (fallback.Bytes is null)
                throw;
            Report(exception);
            return FallBack(flight, before, fallback);
        }
    }

    private LocalValue<T> Interpret<T>(in Snapshot snapshot, ValueSerializer<T> serializer) =>
        snapshot.Bytes is null
            ? default
            : InterpretLocal(StoredValue.Read(snapshot.Bytes), own: null, snapshot.Stamp.ExpiresAtMs, serializer);

    private static FlightResult<T> Share<T>(TypedFlight<T> flight, T? value, bool isStale, in Snapshot snapshot)
    {
        var stored = StoredValue.Read(snapshot.Bytes);
        return Share(flight, value, isStale, stored.Payload, stored.Flags);
    }

    /// <summary>
    /// Ends joining, and gives the callers that joined a payload from which each makes its own object.
    /// </summary>
    private static FlightResult<T> Share<T>(
        TypedFlight<T> flight, T? value, bool isStale, ReadOnlySpan<byte> payload, ValueFlags flags)
    {
        bool needsPayload = flight.Close() && !ImmutableType<T>.IsImmutable && value is not null;
        return new FlightResult<T>(value, isStale, needsPayload ? payload.ToArray() : null, flags);
    }
}
