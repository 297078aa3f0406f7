using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Streams;

/// <summary>For which streams XREAD and XREADGROUP wait.</summary>
internal static class WaitedStreams
{
    /// <summary>
    /// Copies of the keys, each once: each entry that comes looks at all places in the queue of its key.
    /// </summary>
    /// <param name="keys">The keys as the request names them.</param>
    /// <param name="ids">Behind which id each of them is read; of a key that is named twice the first one counts, as in
    /// Redis. Empty: no ids.</param>
    public static Dictionary<byte[], StreamId> Of(RequestSlice keys, ReadOnlySpan<StreamId> ids)
    {
        var streams = new Dictionary<byte[], StreamId>(new KeyBytesComparer());
        var lookup = streams.GetAlternateLookup<ReadOnlySpan<byte>>();
        for (int i = 0; i < keys.Count; i++)
            lookup.TryAdd(keys.GetKey(i), ids.IsEmpty ? default : ids[i]);
        return streams;
    }
}
