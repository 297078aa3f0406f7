namespace Cache.Server.Commands.Table;

/// <summary>The flags of a command that the server itself uses; others are only in replies.</summary>
[Flags]
internal enum CommandFlags
{
    None = 0,

    /// <summary>It may run before the client has authenticated.</summary>
    NoAuth = 1,

    /// <summary>It changes entries.</summary>
    Write = 2,

    /// <summary>It is for administrators.</summary>
    Admin = 4,

    /// <summary>It takes constant or logarithmic time, according to Redis.</summary>
    Fast = 8,

    /// <summary>It may run while files are loaded.</summary>
    Loading = 16,

    /// <summary>Clients of MONITOR are not shown it.</summary>
    SkipMonitor = 32,

    /// <summary>It may make entries longer.</summary>
    DenyOom = 64,

    /// <summary>It is refused inside a transaction.</summary>
    NoMulti = 128,

    /// <summary>The slow log is not told of it.</summary>
    SkipSlowLog = 256,

    /// <summary>Scripts may not call it.</summary>
    NoScript = 512,

    /// <summary>It only reads keys.</summary>
    ReadOnly = 1024,

    /// <summary>It may run while a script takes long.</summary>
    AllowBusy = 2048,
}
