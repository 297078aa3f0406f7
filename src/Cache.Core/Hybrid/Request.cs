namespace Cache.Core.Hybrid;

/// <summary>What a call asks for.</summary>
internal readonly record struct Request<TState, T>(
    string Key,
    TState State,
    Func<TState, CancellationToken, ValueTask<T>> Factory,
    IEnumerable<string>? Tags,
    EntryPlan Plan,
    CancellationToken Token);
