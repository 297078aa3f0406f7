namespace Cache.Tool.Migration;

/// <summary>What the reply to a request means.</summary>
internal enum PendingKind
{
    /// <summary>Nothing, unless the connection is lost.</summary>
    Quiet,

    /// <summary>Whether an entry was taken.</summary>
    Entry,

    /// <summary>A part of an entry, or what belongs to it: only an error is told.</summary>
    Part,

    /// <summary>A command of the source's stream.</summary>
    Command,

    /// <summary>Somebody waits for it.</summary>
    Call,
}
