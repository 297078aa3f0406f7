namespace Cache.Bench.Traces.Sizes;

/// <summary>How many requests were hits, and the bytes of their values.</summary>
internal readonly record struct SizedHits(long Requests, long Bytes)
{
    public SizedHits With(int bytes) => new(Requests + 1, Bytes + bytes);
}
