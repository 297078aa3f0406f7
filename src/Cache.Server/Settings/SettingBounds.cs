using Cache.Core;

namespace Cache.Server.Settings;

/// <summary>The bounds of the server's own directives, each with its reason.</summary>
internal static class SettingBounds
{
    /// <summary>The most addresses that are listened on: Redis's.</summary>
    public const int BindAddressesMax = 16;

    /// <summary>A limit of clients beyond what any system has descriptors for.</summary>
    public const int ClientsMax = 1_000_000;

    /// <summary>Descriptors are kept for these clients.</summary>
    public const int ReservedClientsMax = 16;

    /// <summary>The least bound of a connection's input or output: less would refuse ordinary requests.</summary>
    public const long BufferBytesMin = 1 << 20;

    /// <summary>One incomplete request lies in one stretch of memory.</summary>
    public const long InputBytesMax = 1 << 30;

    /// <summary>More than any machine has.</summary>
    public const long OutputBytesMax = 1L << 40;

    /// <summary>More threads than any machine has processors for.</summary>
    public const int IoThreadsMax = 256;

    /// <summary>What ACL LOG may hold: entries of some hundred bytes each.</summary>
    public const int AclLogLengthMax = 100_000;

    /// <summary>The longest interval in seconds whose milliseconds fit 32 bits.</summary>
    public const int SecondsMax = int.MaxValue / 1000;

    /// <summary>Ten minutes: whoever needs longer for a handshake does not mean it.</summary>
    public const int HandshakeSecondsMax = 600;

    /// <summary>Bytes of replies that wait for a client, where nothing else is said.</summary>
    public const long OutputBytesDefault = 64 << 20;

    /// <summary>The longest value of all.</summary>
    public static long ValueBytesMax => new CacheOptions().ValueLengthMax;
}
