namespace Cache.Bench.Subjects;

/// <summary>S3-FIFO by bytes, as the store has it: two lists and ghosts; collections by a rule.</summary>
/// <remarks>A simulation of what stays, without any values.</remarks>
internal sealed class MeritCache(MeritWorkload load, long limit, MeritRule rule)
{
    private const int UsesMax = 3;
    private const int SmallShare = 10;

    private readonly Queue<int> _small = new();
    private readonly Queue<int> _main = new();
    private readonly Queue<int> _ghosts = new();
    private readonly HashSet<int> _ghostKeys = [];
    private readonly byte[] _uses = new byte[load.Bytes.Length];
    private readonly bool[] _isHeld = new bool[load.Bytes.Length];
    private readonly Random _random = new(2);
    private long _smallBytes;
    private long _mainBytes;

    /// <summary>The bytes that misses brought.</summary>
    public long BytesLoaded { get; private set; }

    /// <returns>Whether it was a hit.</returns>
    public bool Request(int key)
    {
        int bytes = load.Bytes[key];
        if (_isHeld[key])
        {
            if (_uses[key] < UsesMax && Counts(bytes))
                _uses[key]++;
            return true;
        }

        BytesLoaded += bytes;
        if (bytes > limit)
            return false;
        while (_smallBytes + _mainBytes + bytes > limit)
            Evict();
        (_isHeld[key], _uses[key]) = (true, 0);
        if (_ghostKeys.Remove(key))
            AddToMain(key);
        else
            AddToSmall(key);
        return false;
    }

    private bool Counts(int bytes) => rule switch
    {
        MeritRule.PerByte => _random.NextDouble() * bytes < MeritWorkload.EntryBytes,
        MeritRule.PerRoot => _random.NextDouble() < Math.Sqrt((double)MeritWorkload.EntryBytes / bytes),
        _ => true,
    };

    private void Evict()
    {
        if (_main.Count == 0 || (_smallBytes > limit / SmallShare && _small.Count != 0))
            EvictSmall();
        else
            EvictMain();
    }

    private void EvictSmall()
    {
        int key = _small.Dequeue();
        _smallBytes -= load.Bytes[key];
        if (_uses[key] > 0)
        {
            _uses[key] = 0;
            AddToMain(key);
            return;
        }

        _isHeld[key] = false;
        if (_ghostKeys.Add(key))
            _ghosts.Enqueue(key);
        while (_ghosts.Count > _main.Count + _small.Count)
            _ghostKeys.Remove(_ghosts.Dequeue());
    }

    private void EvictMain()
    {
        int key = _main.Dequeue();
        _mainBytes -= load.Bytes[key];
        if (_uses[key] > 0)
        {
            _uses[key]--;
            AddToMain(key);
            return;
        }

        _isHeld[key] = false;
    }

    private void AddToSmall(int key)
    {
        _small.Enqueue(key);
        _smallBytes += load.Bytes[key];
    }

    private void AddToMain(int key)
    {
        _main.Enqueue(key);
        _mainBytes += load.Bytes[key];
    }
}
