using Cache.Client;
using Cache.Protocol;

namespace Cache.Near.Layouts;

/// <summary>
/// A value is a hash, as Microsoft.Extensions.Caching.StackExchangeRedis writes it: absexp is ticks of UTC, sldexp
/// ticks of a duration, −1 is none, and data the value.
/// </summary>
internal sealed class HashLayout : EntryLayout
{
    private const long None = -1;

    private static readonly long _epochTicks = DateTimeOffset.UnixEpoch.Ticks;

    public override bool HasSliding => true;

    public override void WriteRead(RespRequestWriter writer, ReadOnlySpan<byte> key) =>
        writer.Begin(5).Add("HMGET"u8).Add(key).Add("absexp"u8).Add("sldexp"u8).Add("data"u8);

    public override StoredEntry Read(in RespReply reply)
    {
        if (reply.Items is not [var absolute, var sliding, var data])
            throw new InvalidDataException("HMGET gave no three fields");
        long absoluteTicks = TicksOf(absolute);
        long slidingTicks = TicksOf(sliding);
        return new StoredEntry(
            data.Bytes,
            slidingTicks > 0 ? Math.Max(1, slidingTicks / TimeSpan.TicksPerMillisecond) : 0,
            absoluteTicks > 0 ? Math.Max(1, (absoluteTicks - _epochTicks) / TimeSpan.TicksPerMillisecond) : 0);
    }

    public override int WriteSet(
        RespRequestWriter writer, ReadOnlySpan<byte> key, in StoredEntry entry, long lifeMs)
    {
        writer.Begin(8).Add("HSET"u8).Add(key)
            .Add("absexp"u8)
            .Add(entry.AbsoluteUnixMs > 0 ? _epochTicks + entry.AbsoluteUnixMs * TimeSpan.TicksPerMillisecond : None)
            .Add("sldexp"u8)
            .Add(entry.SlidingMs > 0 ? entry.SlidingMs * TimeSpan.TicksPerMillisecond : None)
            .Add("data"u8).Add(entry.Value);
        if (lifeMs > 0)
            writer.Begin(3).Add("PEXPIRE"u8).Add(key).Add(lifeMs);
        else
            writer.Begin(2).Add("PERSIST"u8).Add(key);
        return 2;
    }

    private static long TicksOf(in RespReply field) =>
        field.Bytes is { } text && RespInteger.TryParse(text, out long ticks) ? ticks : None;
}
