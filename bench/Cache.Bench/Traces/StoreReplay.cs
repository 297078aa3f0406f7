using System.Buffers.Binary;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Traces;

/// <summary>Replays a trace through a store: GET, SET on a miss.</summary>
internal static class StoreReplay
{
    /// <summary>As many as a busy store answers between two looks at what was noted.</summary>
    public const int ReadsPerLook = 2_000;

    /// <summary>Replays a trace.</summary>
    /// <param name="store">Empty at first.</param>
    /// <param name="ids">The trace.</param>
    /// <param name="valueLength">Bytes of a value.</param>
    /// <param name="peak">How many entries there were at most.</param>
    /// <param name="readsPerLook">
    /// So many requests take a tenth of a second: then the store looks at what was noted, as its sweep does.
    /// </param>
    /// <returns>The hits, each checked.</returns>
    public static long Run(
        CacheStore store, uint[] ids, int valueLength, ref long peak, int readsPerLook = ReadsPerLook)
    {
        byte[] value = new byte[valueLength];
        byte[] read = new byte[valueLength];
        byte[] key = new byte[CapacityLimit.KeyLength];
        long hits = 0;
        for (int i = 0; i < ids.Length; i++)
        {
            uint id = ids[i];
            if (i % readsPerLook == 0)
                store.GetHitRatioCurve();
            BinaryPrimitives.WriteUInt64LittleEndian(key, id);
            var sink = new SpanSink(read);
            if (store.TryGet(key, ref sink))
            {
                hits++;
                if (sink.Length != valueLength || BinaryPrimitives.ReadUInt32LittleEndian(read) != id)
                    throw new WrongAnswerException($"The value of id {id} is not the one that was set.");
                continue;
            }

            BinaryPrimitives.WriteUInt32LittleEndian(value, id);
            if (store.Set(key, value) is var status and not WriteStatus.Done)
                throw new WrongAnswerException($"SET of id {id}: {status}.");
            peak = Math.Max(peak, store.Count);
        }

        return hits;
    }
}
