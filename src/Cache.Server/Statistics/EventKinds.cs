namespace Cache.Server.Statistics;

/// <summary>The kinds of rare events.</summary>
internal static class EventKinds
{
    /// <summary>A client met a limit.</summary>
    public const string Limit = "limit";

    /// <summary>A log-in was refused.</summary>
    public const string LogIn = "login";

    /// <summary>Evictions began, or ended.</summary>
    public const string Eviction = "eviction";

    /// <summary>Writes were refused for want of memory.</summary>
    public const string OutOfMemory = "out-of-memory";

    /// <summary>The runtime paused all threads to collect garbage.</summary>
    public const string Pause = "gc-pause";

    /// <summary>The configuration was changed.</summary>
    public const string Configuration = "config";

    /// <summary>An administrator did what CACHE UNSAFE offers.</summary>
    public const string Unsafe = "unsafe";

    /// <summary>Files cannot be written, or can be again.</summary>
    public const string Files = "files";

    /// <summary>The wall clock was set.</summary>
    public const string Clock = "clock";
}
