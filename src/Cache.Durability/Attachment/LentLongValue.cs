using Cache.Core.Changes;
using Cache.Durability.Staging;

namespace Cache.Durability.Attachment;

/// <summary>A long value in the store's memory.</summary>
internal sealed class LentLongValue : LongValue
{
    private readonly ChangeValue _value;
    private readonly LentBytes _lent;

    /// <param name="lsn">The place of its record or group.</param>
    /// <param name="value">The value that the store lends.</param>
    /// <param name="lent">Counts its bytes.</param>
    public LentLongValue(ulong lsn, ChangeValue value, LentBytes lent)
        : base(lsn)
    {
        (_value, _lent, Length) = (value, lent, value.Span.Length);
        lent.Take(Length);
    }

    public override int Length { get; }

    public override void CopyTo(int offset, Span<byte> part) => _value.Span.Slice(offset, part.Length).CopyTo(part);

    protected override void Dispose(bool disposing)
    {
        _value.Dispose();
        _lent.Return(Length);
    }
}
