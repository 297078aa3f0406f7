namespace Cache.Server.Clients;

/// <summary>The connection of a client, which writes what others push to it.</summary>
internal interface IPushedConnection
{
    /// <summary>Makes the thread of its transport write. Any thread; never waits.</summary>
    void WakeToWrite();
}
