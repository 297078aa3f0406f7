namespace Cache.Server.Clients;

/// <summary>The connection of a client, as far as others and its commands see it.</summary>
internal interface IClientConnection
{
    /// <summary>Makes the thread of its transport write. Any thread; never waits.</summary>
    void WakeToWrite();

    /// <summary>
    /// Begins something that may take long, within a command, on the thread that other clients wait for: they get
    /// another thread then.
    /// </summary>
    /// <returns>False: it must be done elsewhere.</returns>
    bool TryBeginLong();

    /// <summary>Ends what <see cref="TryBeginLong"/> has begun.</summary>
    void EndLong();
}
