using Cache.Core.Changes;
using Cache.Testing;

namespace Cache.Core.Tests.Changes;

/// <summary>A journal in memory that keeps every record, and checks what the store promises of its calls.</summary>
internal sealed class RecordingJournal : ChangeJournal
{
    private readonly Lock _gate = new();
    private readonly List<Group> _groups = [];

    /// <summary>Called with each reservation, before it is given.</summary>
    public Action? Reserving { get; set; }

    /// <summary>Called with each reservation that was given.</summary>
    public Action? Reserved { get; set; }

    /// <summary>Called where a reservation is completed.</summary>
    public Action? Completing { get; set; }

    /// <summary>Called where a write waits for room.</summary>
    public Action? Waiting { get; set; }

    /// <summary>Whether the next reservation has room.</summary>
    public Func<bool> HasRoom { get; set; } = () => true;

    /// <summary>What was recorded, in the order of the reservations.</summary>
    public IReadOnlyList<RecordedChange> Changes
    {
        get
        {
            lock (_gate)
            {
                Assert.All(_groups, group => Assert.True(group.IsComplete));
                return [.. _groups.SelectMany(group => group.Changes)];
            }
        }
    }

    /// <summary>How many records each reservation has that is not void.</summary>
    public IReadOnlyList<int> GroupSizes
    {
        get
        {
            lock (_gate)
                return [.. _groups.Select(group => group.Changes.Count).Where(count => count != 0)];
        }
    }

    public override long SizeOf(in ChangeRecord record) =>
        48 + record.KeyLength + (record.IsLent ? 0 : record.ValueLength);

    public override bool TryReserve(long bytes, int count, out ChangeReservation reservation)
    {
        reservation = default;
        Assert.InRange(count, 1, int.MaxValue);
        Reserving?.Invoke();
        if (!HasRoom())
            return false;
        var group = new Group(count);
        lock (_gate)
            _groups.Add(group);
        reservation = new ChangeReservation { Owner = group, Length = bytes };
        Reserved?.Invoke();
        return true;
    }

    public override void WaitForRoom(long bytes)
    {
        Assert.NotEqual(0, bytes);
        Waiting?.Invoke();
    }

    public override void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Assert.False(record.IsLent);
        Add(ref reservation, record, key, value.ToArray());
    }

    public override void Write(
        ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, ChangeValue value)
    {
        Assert.True(record.IsLent);
        Add(ref reservation, record, key, value.Span.ToArray());
        value.Dispose();
    }

    public override void Complete(ref ChangeReservation reservation)
    {
        Completing?.Invoke();
        var group = (Group)reservation.Owner!;
        Assert.False(group.IsComplete);
        Assert.True(
            group.Changes.Count is 0 || group.Changes.Count == group.Count
            || (KeyedTransaction.IsRunning && group.Changes.Count < group.Count));
        group.IsComplete = true;
        reservation = default;
    }

    private void Add(ref ChangeReservation reservation, in ChangeRecord record, ReadOnlySpan<byte> key, byte[] value)
    {
        var group = (Group)reservation.Owner!;
        Assert.False(group.IsComplete);
        Assert.Equal(record.KeyLength, key.Length);
        Assert.Equal(record.ValueLength, value.Length);
        reservation.Length -= SizeOf(record);
        Assert.InRange(reservation.Length, 0, long.MaxValue);
        group.Changes.Add(new RecordedChange(record, Convert.ToHexString(key), value));
    }

    private sealed class Group(int count)
    {
        public int Count { get; } = count;

        public List<RecordedChange> Changes { get; } = [];

        public bool IsComplete { get; set; }
    }
}
