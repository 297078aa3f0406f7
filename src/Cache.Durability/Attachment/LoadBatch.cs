namespace Cache.Durability.Attachment;

/// <summary>Copies of blocks, to be applied by a thread.</summary>
internal sealed class LoadBatch(int bytes)
{
    private readonly List<LoadedBlock> _blocks = [];
    private byte[] _bytes = new byte[bytes];
    private int _used;

    public IReadOnlyList<LoadedBlock> Blocks => _blocks;

    /// <summary>Its place among all.</summary>
    public long Number { get; set; }

    /// <summary>Whether each thread applies the records of its keys; else one thread applies all.</summary>
    public bool IsForAll { get; set; }

    /// <summary>The number of threads that have not applied it.</summary>
    public int Left { get; set; }

    /// <summary>Whether a thread has taken it.</summary>
    public bool IsTaken { get; set; }

    /// <summary>False if it must be applied before it takes another block of this length.</summary>
    public bool HasRoom(int length) => _blocks.Count == 0 || _used + length <= _bytes.Length;

    public void Add(string file, long offset, ulong firstLsn, long wallMs, ReadOnlySpan<byte> payload)
    {
        if (_used + payload.Length > _bytes.Length)
            Array.Resize(ref _bytes, _used + payload.Length);
        payload.CopyTo(_bytes.AsSpan(_used));
        _blocks.Add(new LoadedBlock(file, offset, firstLsn, wallMs, _used, payload.Length));
        _used += payload.Length;
    }

    public ReadOnlySpan<byte> PayloadOf(in LoadedBlock block) => _bytes.AsSpan(block.Start, block.Length);

    public void Clear()
    {
        _blocks.Clear();
        (_used, IsTaken) = (0, false);
    }
}
