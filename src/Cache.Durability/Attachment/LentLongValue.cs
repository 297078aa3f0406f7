using Cache.Core.Changes;
using Cache.Durability.Staging;

namespace Cache.Durability.Attachment;

/// <summary>A long value where the store has it.</summary>
internal sealed class LentLongValue(ulong lsn, ChangeValue value) : LongValue(lsn)
{
    public override int Length { get; } = value.Span.Length;

    public override void CopyTo(int offset, Span<byte> part) => value.Span.Slice(offset, part.Length).CopyTo(part);

    protected override void Dispose(bool disposing) => value.Dispose();
}
