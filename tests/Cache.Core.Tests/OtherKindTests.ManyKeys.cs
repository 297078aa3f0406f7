using Cache.Testing;

namespace Cache.Core.Tests;

/// <summary>The reads of several keys.</summary>
public sealed partial class OtherKindTests
{
    private static int TryGetManyOfASource(CacheStore store)
    {
        var keys = new KeyArray([_key]);
        var sink = default(UntouchedSink);
        return store.TryGetMany(ref keys, ref sink);
    }

    private static int TryGetManyIntoASink(CacheStore store)
    {
        var sink = default(UntouchedSink);
        return store.TryGetMany(new ReadOnlyMemory<byte>[] { _key }, ref sink);
    }

    private static byte[]? GetMany(CacheStore store)
    {
        var keys = new KeyArray(_key);
        var sink = new ValueListSink();
        store.GetMany(ref keys, ref sink);
        return Assert.Single(sink.Values);
    }

    private readonly struct UntouchedSink : IIndexedValueSink
    {
        public void Begin(int index)
        {
        }

        public Span<byte> GetSpan(int length) => throw new InvalidOperationException("There is no string.");

        public void Advance(int length)
        {
        }
    }
}
