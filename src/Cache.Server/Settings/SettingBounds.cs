using Cache.Core;

namespace Cache.Server.Settings;

/// <summary>The bounds of the server's own directives, each with its reason.</summary>
internal static class SettingBounds
{
    /// <summary>The most addresses to listen on: Redis's bound.</summary>
    public const int BindAddressesMax = 16;

    /// <summary>The most clients: more than any system has descriptors for.</summary>
    public const int ClientsMax = 1_000_000;

    /// <summary>Descriptors are kept for these clients.</summary>
    public const int ReservedClientsMax = 16;

    /// <summary>
    /// The smallest limit of a connection's input or output: a lower one would refuse ordinary requests.
    /// </summary>
    public const long BufferBytesMin = 1 << 20;

    /// <summary>The longest incomplete request: it is in one stretch of memory.</summary>
    public const long InputBytesMax = 1 << 30;

    /// <summary>The most memory: more than any machine has.</summary>
    public const long OutputBytesMax = 1L << 40;

    /// <summary>The most threads: more than any machine has processors.</summary>
    public const int IoThreadsMax = 256;

    /// <summary>The most entries of ACL LOG, some hundred bytes each.</summary>
    public const int AclLogLengthMax = 100_000;

    /// <summary>Twelve days: no command is executed for longer; in ticks it still fits 64 bits.</summary>
    public const ulong MicrosecondsMax = 1L << 40;

    /// <summary>The longest interval in seconds whose milliseconds fit 32 bits.</summary>
    public const int SecondsMax = int.MaxValue / 1000;

    /// <summary>Ten minutes: no honest handshake takes longer.</summary>
    public const int HandshakeSecondsMax = 600;

    /// <summary>The default limit of a client's unsent replies, in bytes.</summary>
    public const long OutputBytesDefault = 64 << 20;

    /// <summary>The longest value.</summary>
    public static long ValueBytesMax => new CacheOptions().ValueLengthMax;
}
