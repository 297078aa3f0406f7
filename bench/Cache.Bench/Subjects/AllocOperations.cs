using Cache.Core;

namespace Cache.Bench.Subjects;

/// <summary>The operations whose allocation is counted, each as a loop over the keys.</summary>
internal sealed class AllocOperations(CacheStore store, byte[][] keys, int valueLength)
{
    private readonly byte[] _value = new byte[valueLength];
    private readonly byte[] _longer = new byte[2 * valueLength];
    private readonly byte[] _read = new byte[2 * valueLength];

    public IEnumerable<(string Name, Action<int> Run)> All =>
    [
        ("SET in place", Set),
        ("GET hit", GetHit),
        ("GET miss", GetMiss),
        ("SET other size", SetOtherSize),
        ("SET with expiry", SetWithExpiry),
        ("SET absent, remove", SetAndRemove),
        ("INCREMENT", Increment),
    ];

    private void Set(int count)
    {
        for (int i = 0; i < count; i++)
            Require(store.Set(KeyAt(i), _value));
    }

    private void GetHit(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var sink = new SpanSink(_read);
            if (!store.TryGet(KeyAt(i), ref sink) || sink.Length != valueLength)
                throw new WrongAnswerException("A stored value was not found.");
        }
    }

    private void GetMiss(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var sink = new SpanSink(_read);
            if (store.TryGet("absent"u8, ref sink))
                throw new WrongAnswerException("A value was found that was never stored.");
        }
    }

    private void SetOtherSize(int count)
    {
        for (int i = 0; i < count; i++)
            Require(store.Set(KeyAt(i), i / keys.Length % 2 == 0 ? _longer : _value));
    }

    private void SetWithExpiry(int count)
    {
        var options = new EntryOptions { ExpiresAtMs = store.NowMs + 3_600_000 };
        for (int i = 0; i < count; i++)
            Require(store.Set(KeyAt(i), _value, options));
    }

    private void SetAndRemove(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Require(store.Set("transient"u8, _value));
            if (!store.Remove("transient"u8))
                throw new WrongAnswerException("A stored value was not there to be removed.");
        }
    }

    private void Increment(int count)
    {
        for (int i = 0; i < count; i++)
            Require(store.Increment("counter"u8, 1, out _));
    }

    private ReadOnlySpan<byte> KeyAt(int i) => keys[i & (keys.Length - 1)];

    private static void Require(WriteStatus status)
    {
        if (status != WriteStatus.Done)
            throw new WrongAnswerException($"A write was refused: {status}.");
    }
}
