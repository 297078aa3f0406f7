using Cache.Client;
using Cache.Protocol;

namespace Cache.Near.Layouts;

/// <summary>How an entry is read and written on a server.</summary>
internal abstract class EntryLayout
{
    /// <summary>The layout that the options name.</summary>
    public static EntryLayout Of(NearLayout layout) =>
        layout == NearLayout.Plain ? new PlainLayout() : new HashLayout();

    public abstract bool HasSliding { get; }

    /// <summary>The request whose reply <see cref="Read"/> understands.</summary>
    public abstract void WriteRead(RespRequestWriter writer, ReadOnlySpan<byte> key);

    /// <exception cref="InvalidDataException">The server has something else under the key.</exception>
    public abstract StoredEntry Read(in RespReply reply);

    /// <summary>Writes the requests of a write.</summary>
    /// <returns>The number of requests.</returns>
    public abstract int WriteSet(RespRequestWriter writer, ReadOnlySpan<byte> key, in StoredEntry entry, long lifeMs);

    /// <summary>The request for what is left of the entry's life.</summary>
    public static void WriteLifeLeft(RespRequestWriter writer, ReadOnlySpan<byte> key) =>
        writer.Begin(2).Add("PTTL"u8).Add(key);
}
