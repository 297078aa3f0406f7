using System.Runtime.InteropServices;
using Cache.Bench.Subjects;
using Cache.Core;

namespace Cache.Bench.Traces.Sizes;

/// <summary>A trace whose ids have values of different lengths.</summary>
/// <param name="Ids">The requests.</param>
/// <param name="Lengths">The bytes of each id's value.</param>
internal sealed record SizedTrace(uint[] Ids, int[] Lengths)
{
    // Of a record's header, of the index, and of a ghost; memory-layout.md has them.
    private const int RecordHeaderBytes = 8;
    private const int RecordUnit = 8;
    private const int IndexBytes = 11;

    /// <summary>The bytes that each id's entry takes in the store, but for what segments leave free.</summary>
    public int[] EntryBytes { get; } =
        [.. Lengths.Select(length =>
            (RecordHeaderBytes + CapacityLimit.KeyLength + length + RecordUnit - 1) / RecordUnit * RecordUnit
            + IndexBytes)];

    /// <summary>The bytes of all entries.</summary>
    public long Footprint => EntryBytes.Sum(bytes => (long)bytes);

    /// <summary>The bytes of all values that are asked for.</summary>
    public long AskedBytes => Ids.Sum(id => (long)Lengths[id]);

    /// <summary>Replays the trace through a policy.</summary>
    public SizedHits Replay(ISizedPolicy policy)
    {
        var found = new SizedHits(0, 0);
        foreach (uint id in Ids)
        {
            if (policy.Access((int)id))
                found = found.With(Lengths[id]);
        }

        return found;
    }

    /// <summary>Replays the trace through a store: GET, SET on a miss.</summary>
    public SizedHits Replay(CacheStore store, int readsPerLook)
    {
        byte[] value = new byte[SizeLaw.LengthMax];
        byte[] read = new byte[SizeLaw.LengthMax];
        byte[] key = new byte[CapacityLimit.KeyLength];
        var found = new SizedHits(0, 0);
        for (int i = 0; i < Ids.Length; i++)
        {
            uint id = Ids[i];
            if (i % readsPerLook == 0)
                store.GetHitRatioCurve();
            MemoryMarshal.Write(key, (ulong)id);
            var sink = new SpanSink(read);
            if (store.TryGet(key, ref sink))
            {
                if (sink.Length != Lengths[id] || MemoryMarshal.Read<uint>(read) != id)
                    throw new WrongAnswerException($"The value of id {id} is not the one that was set.");
                found = found.With(Lengths[id]);
                continue;
            }

            MemoryMarshal.Write(value, id);
            if (store.Set(key, value.AsSpan(0, Lengths[id])) is var status and not WriteStatus.Done)
                throw new WrongAnswerException($"SET of id {id}: {status}.");
        }

        return found;
    }
}
