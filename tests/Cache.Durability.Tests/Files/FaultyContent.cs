namespace Cache.Durability.Tests.Files;

/// <summary>What a file holds: as programs see it, and as it is on the disk.</summary>
/// <remarks>One thread may write while another syncs, as with any file.</remarks>
internal sealed class FaultyContent
{
    /// <summary>The disk writes these many bytes at one moment.</summary>
    public const int SectorBytes = 512;

    private readonly Lock _gate = new();
    private readonly List<(int Offset, byte[] Bytes)> _unsynced = [];
    private byte[] _onDisk;

    public FaultyContent(byte[] onDisk)
    {
        _onDisk = onDisk;
        Bytes = (byte[])onDisk.Clone();
    }

    public byte[] Bytes { get; private set; }

    /// <summary>A byte that the disk cannot read any more; −1: none.</summary>
    public long UnreadableAt { get; set; } = -1;

    public void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
            return;
        lock (_gate)
        {
            if (Bytes.Length < offset + bytes.Length)
                Bytes = Resized(Bytes, (int)offset + bytes.Length);
            bytes.CopyTo(Bytes.AsSpan((int)offset));
            _unsynced.Add(((int)offset, bytes.ToArray()));
        }
    }

    public void SetLength(int length)
    {
        lock (_gate)
        {
            Bytes = Resized(Bytes, length);
            _onDisk = Resized(_onDisk, length);
            for (int i = _unsynced.Count - 1; i >= 0; i--)
            {
                var (offset, bytes) = _unsynced[i];
                _unsynced[i] = (offset, bytes[..Math.Clamp(length - offset, 0, bytes.Length)]);
            }
        }
    }

    public void Sync()
    {
        lock (_gate)
        {
            foreach (var (offset, bytes) in _unsynced)
                Apply(offset, bytes);
            _unsynced.Clear();
        }
    }

    public void Forget()
    {
        lock (_gate)
            _unsynced.Clear();
    }

    /// <summary>What is on the disk after the power was lost: any sectors of what was not synced.</summary>
    public FaultyContent AfterPowerLoss(Random random)
    {
        lock (_gate)
            return AfterPowerLossCore(random);
    }

    private FaultyContent AfterPowerLossCore(Random random)
    {
        var kept = new FaultyContent((byte[])_onDisk.Clone());
        int percent = random.Next(0, 101);
        foreach (var (offset, bytes) in _unsynced)
        {
            for (int from = 0; from < bytes.Length;)
            {
                int length = Math.Min(bytes.Length - from, SectorBytes - (offset + from) % SectorBytes);
                if (random.Next(100) < percent)
                    kept.Apply(offset + from, bytes.AsSpan(from, length));
                from += length;
            }
        }

        kept.Bytes = (byte[])kept._onDisk.Clone();
        return kept;
    }

    /// <summary>Changes bytes behind everyone's back.</summary>
    public void Damage(int offset, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(Bytes.AsSpan(offset));
        Apply(offset, bytes);
    }

    private void Apply(int offset, ReadOnlySpan<byte> bytes)
    {
        if (_onDisk.Length < offset + bytes.Length)
            _onDisk = Resized(_onDisk, offset + bytes.Length);
        bytes.CopyTo(_onDisk.AsSpan(offset));
    }

    private static byte[] Resized(byte[] bytes, int length)
    {
        Array.Resize(ref bytes, length);
        return bytes;
    }
}
