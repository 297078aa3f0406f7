namespace Cache.Core.Hybrid;

/// <summary>The result of a look into the store.</summary>
internal readonly struct LocalValue<T>
{
    public LocalValue(LocalState state) => State = state;

    public LocalValue(LocalState state, T value, long freshUntilMs)
    {
        State = state;
        Value = value;
        FreshUntilMs = freshUntilMs;
    }

    public LocalState State { get; }

    /// <summary>The value, if it is fresh or stale.</summary>
    public T? Value { get; }

    /// <summary>Until when it is fresh; 0: for ever.</summary>
    public long FreshUntilMs { get; }
}
