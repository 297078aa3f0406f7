namespace Cache.Server.Watches;

/// <summary>A key that a client watches: WATCH. Its mark is set under the lock of the key.</summary>
internal sealed class WatchedName(byte[] key, int keyspace, bool wasThere)
{
    private volatile bool _isTouched;

    /// <summary>The key.</summary>
    public byte[] Key => key;

    /// <summary>Its keyspace in the store; a swap of databases changes it.</summary>
    public int Keyspace { get; set; } = keyspace;

    /// <summary>Whether it had an entry when the watch began: then it must still be there.</summary>
    public bool WasThere { get; set; } = wasThere;

    /// <summary>Whether it was written since; any thread.</summary>
    public bool IsTouched => _isTouched;

    /// <summary>The next one in its chain of the table.</summary>
    public WatchedName? Next { get; set; }

    /// <summary>It was written. Any thread.</summary>
    public void Touch() => _isTouched = true;
}
