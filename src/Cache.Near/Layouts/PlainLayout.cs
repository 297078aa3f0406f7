using Cache.Client;
using Cache.Protocol;

namespace Cache.Near.Layouts;

/// <summary>A value is a string.</summary>
internal sealed class PlainLayout : EntryLayout
{
    public override bool HasSliding => false;

    public override void WriteRead(RespRequestWriter writer, ReadOnlySpan<byte> key) =>
        writer.Begin(2).Add("GET"u8).Add(key);

    public override StoredEntry Read(in RespReply reply) => new(reply.Bytes, 0, 0);

    public override int WriteSet(
        RespRequestWriter writer, ReadOnlySpan<byte> key, in StoredEntry entry, long lifeMs)
    {
        writer.Begin(lifeMs > 0 ? 5 : 3).Add("SET"u8).Add(key).Add(entry.Value);
        if (lifeMs > 0)
            writer.Add("PX"u8).Add(lifeMs);
        return 1;
    }
}
