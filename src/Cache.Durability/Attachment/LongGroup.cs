using System.Diagnostics;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Attachment;

/// <summary>A group of records that is too long for a chunk: it is written in parts, and replayed atomically.</summary>
/// <param name="place">The place of the group's head.</param>
/// <param name="bytes">Room for the records.</param>
/// <param name="owner">Gets the room back when it is not needed any more.</param>
internal sealed class LongGroup(StagedPlace place, byte[] bytes, LongGroupRoom owner) : LongValue(place.Lsn)
{
    private int _length = bytes.Length;

    /// <summary>The bytes of its records: once it is complete, those that were written.</summary>
    public override int Length => _length;

    public StagedPlace Place => place;

    public Span<byte> Slice(int offset, int length) => bytes.AsSpan(offset, length);

    /// <summary>Writes the head, after the last record.</summary>
    public void Complete(int length)
    {
        Debug.Assert(length <= bytes.Length);
        _length = length;
        var fields = new RecordFields { Kind = RecordKind.Group, Flags = RecordFlags.Parted, Owner = Lsn };
        RecordLayout.Write(place.Bytes, fields, default, default, length);
    }

    public override void CopyTo(int offset, Span<byte> part) => bytes.AsSpan(offset, part.Length).CopyTo(part);

    protected override void Dispose(bool disposing) => owner.Return(bytes.Length);
}
