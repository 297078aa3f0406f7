using Cache.Core;

namespace Cache.Testing;

/// <summary>A whole scan of a store, from cursor 0 back to 0.</summary>
internal static class StoreScan
{
    // More calls than any test needs: a scan that does not end is a failure, not a hang.
    private const int CallsMax = 10_000_000;

    public static List<string> ScanAll(this CacheStore store, int count = 10)
    {
        var sink = new KeyListSink();
        ulong cursor = 0;
        for (int calls = 0; calls < CallsMax; calls++)
        {
            cursor = store.Scan(cursor, count, ref sink);
            if (cursor == 0)
                return sink.Keys;
        }

        throw new InvalidOperationException($"The scan did not end within {CallsMax} calls.");
    }
}
