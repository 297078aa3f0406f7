namespace Cache.Server.Waits;

/// <summary>The place of a waiter in the queue of one of its keys. Under the table's gate.</summary>
internal sealed class WaitPlace(Waiter waiter, WaitedKey key)
{
    public Waiter Waiter => waiter;

    public WaitedKey Key => key;

    public WaitPlace? Previous { get; set; }

    public WaitPlace? Next { get; set; }
}
