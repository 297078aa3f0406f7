namespace Cache.Server.Scripts;

/// <summary>The server beside a library that is being loaded: it executes no command.</summary>
/// <param name="isOver">Whether the server stops.</param>
/// <param name="log">Gets lines for the log.</param>
internal sealed class LibraryLoad(Func<bool> isOver, Action<int, string>? log) : IScriptHost
{
    /// <summary>How long it may take: as in Redis.</summary>
    public static readonly TimeSpan TimeMax = TimeSpan.FromMilliseconds(500);

    // Of a line in the log: as in Redis.
    private const int LogBytesMax = 1024;

    private readonly long _begin = TimeProvider.System.GetTimestamp(); // Not the store's clock: it runs really.

    public bool IsKilled => isOver() || TimeProvider.System.GetElapsedTime(_begin) > TimeMax;

    public int ProtocolVersion { get; set; } = 2;

    public bool IsReadOnly { get; set; } = true;

    public bool UsesOneSlot { get; set; }

    public bool IsShort => false;

    public long ReplyBytesMax => 0; // It has none.

    public bool IsInCluster => false;

    public void Log(int level, ReadOnlySpan<byte> text) =>
        log?.Invoke(level, System.Text.Encoding.UTF8.GetString(text[..Math.Min(text.Length, LogBytesMax)]));

    public void ClearArguments()
    {
    }

    public bool TryAddArgument(ReadOnlySpan<byte> argument) => false;

    public ReadOnlySpan<byte> Call() =>
        throw new InvalidOperationException("A library that is loaded has no commands.");

    public bool? MayCall() => null;

    public void CountError(ReadOnlySpan<byte> code)
    {
    }
}
