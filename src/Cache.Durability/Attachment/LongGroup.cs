using System.Diagnostics;
using Cache.Durability.Format;
using Cache.Durability.Staging;

namespace Cache.Durability.Attachment;

/// <summary>Records that are too long for a chunk, and replayed together: they are written in parts.</summary>
/// <param name="place">Where the head of the group lies.</param>
/// <param name="bytes">Room for the records.</param>
/// <param name="owner">Is told when the room is not needed any more.</param>
internal sealed class LongGroup(StagedPlace place, byte[] bytes, LongGroupRoom owner) : LongValue(place.Lsn)
{
    private int _length = bytes.Length;

    /// <summary>The bytes of its records: those that were written, once it is complete.</summary>
    public override int Length => _length;

    public StagedPlace Place => place;

    public Span<byte> Slice(int offset, int length) => bytes.AsSpan(offset, length);

    /// <summary>Writes the head: no further record comes.</summary>
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
