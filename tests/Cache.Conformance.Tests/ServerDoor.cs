namespace Cache.Conformance.Tests;

/// <summary>What moves the bytes, and whether they are encrypted.</summary>
public enum ServerDoor
{
    /// <summary>The portable transport.</summary>
    Portable,

    /// <summary>The portable transport under TLS.</summary>
    PortableTls,

    /// <summary>The event loops.</summary>
    Epoll,

    /// <summary>The event loops under TLS.</summary>
    EpollTls,
}
