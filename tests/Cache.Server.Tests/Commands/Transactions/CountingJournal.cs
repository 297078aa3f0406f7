using Cache.Core.Changes;

namespace Cache.Server.Tests.Commands.Transactions;

/// <summary>A journal that keeps nothing but what each reservation was for.</summary>
internal sealed class CountingJournal : ChangeJournal
{
    // What a record has beside key and value in the journal's files, at most.
    private const int HeaderBytes = 64;

    private readonly List<int> _written = [];

    /// <summary>How many records each reservation got, in their order.</summary>
    public IReadOnlyList<int> Written => _written;

    public override long SizeOf(in ChangeRecord record) =>
        HeaderBytes + record.KeyLength + (record.IsLent ? 0 : record.ValueLength);

    public override bool TryReserve(long bytes, int count, out ChangeReservation reservation)
    {
        _written.Add(0);
        reservation = new ChangeReservation { Owner = this, Length = bytes };
        return true;
    }

    public override void WaitForRoom(long bytes) => throw new InvalidOperationException("There is always room.");

    public override void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value) =>
        _written[^1]++;

    public override void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ChangeValue value)
    {
        value.Dispose();
        _written[^1]++;
    }

    public override void Complete(ref ChangeReservation reservation)
    {
    }
}
