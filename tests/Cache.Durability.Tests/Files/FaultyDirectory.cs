using Cache.Durability.Files;

namespace Cache.Durability.Tests.Files;

/// <summary>A directory in memory that fails where a test says so, and that can lose what was not synced.</summary>
/// <remarks>
/// Names are changed in the order of the calls, as a file system's own journal does: after a loss of power the first
/// few of those that were not synced are there. What files hold comes back in any order.
/// </remarks>
internal sealed class FaultyDirectory : StorageDirectory
{
    private readonly Dictionary<string, FaultyContent> _files = [];
    private readonly Dictionary<string, FaultyContent> _onDisk = [];
    private readonly List<Action<Dictionary<string, FaultyContent>>> _unsynced = [];
    private readonly List<Fault> _faults = [];
    private readonly Lock _gate = new();
    private bool _isLocked;

    public override string Path => "(memory)";

    /// <summary>The bytes that all files together may have.</summary>
    public long Capacity { get; set; } = long.MaxValue;

    public bool IsReadOnly { get; set; }

    /// <summary>How often each operation was called.</summary>
    public int[] Calls { get; } = new int[Enum.GetValues<Operation>().Length];

    /// <summary>The operations of all kinds so far.</summary>
    public int Operations => Calls.Sum();

    /// <summary>From this operation of any kind on, all fail: the moment of a crash.</summary>
    public int CrashAt { get; set; } = int.MaxValue;

    /// <summary>This operation of any kind fails, and no other.</summary>
    public int FailAt { get; set; } = int.MaxValue;

    /// <summary>Lets an operation fail from a call on, after a part of its bytes.</summary>
    /// <param name="operation">Which.</param>
    /// <param name="after">How many calls succeed before.</param>
    /// <param name="times">How many fail then.</param>
    /// <param name="written">The bytes of a failing write that are written.</param>
    public void Fail(Operation operation, int after = 0, int times = int.MaxValue, int written = 0)
    {
        lock (_gate)
            _faults.Add(new Fault(operation, Calls[(int)operation] + after, times, written));
    }

    public void Heal()
    {
        lock (_gate)
            _faults.Clear();
        (IsReadOnly, Capacity, CrashAt, FailAt) = (false, long.MaxValue, int.MaxValue, int.MaxValue);
    }

    /// <summary>The files that were opened and not closed yet.</summary>
    public int OpenFiles { get; set; }

    /// <summary>Told of each operation before it is done.</summary>
    public Action<Operation>? Observed { get; set; }

    /// <summary>Whether the moment of the crash is over.</summary>
    public bool HasCrashed => Operations > CrashAt;

    public FaultyContent ContentOf(string name) => _files[name];

    /// <summary>The directory as a program finds it after the power was lost.</summary>
    public FaultyDirectory AfterPowerLoss(Random random)
    {
        lock (_gate)
        {
            var names = new Dictionary<string, FaultyContent>(_onDisk);
            foreach (var change in _unsynced[..random.Next(_unsynced.Count + 1)])
                change(names);
            return WithFiles(names, content => content.AfterPowerLoss(random));
        }
    }

    /// <summary>
    /// The directory as a program finds it after another one was killed: nothing is lost until the power is.
    /// </summary>
    public FaultyDirectory AfterKill()
    {
        var directory = new FaultyDirectory();
        lock (_gate)
        {
            foreach (var (name, content) in _files)
                directory._files[name] = content;
            foreach (var (name, content) in _onDisk)
                directory._onDisk[name] = content;
            directory._unsynced.AddRange(_unsynced);
        }

        return directory;
    }

    public override IReadOnlyList<string> List()
    {
        lock (_gate)
            return [.. _files.Keys];
    }

    public override StorageFile Create(string name, long length, bool isWritten = true)
    {
        if (Before(Operation.Create, (int)length, length) < length)
            throw new IOException($"{name}: no room for {length} bytes.");
        lock (_gate)
        {
            if (_files.ContainsKey(name))
                throw new IOException($"{name} is there already.");
            var content = new FaultyContent(new byte[length]);
            Change(files => files[name] = content);
            return new FaultyFile(this, content, name, writable: true);
        }
    }

    public override StorageFile Open(string name, bool writable)
    {
        Before(Operation.Open, 0, 0);
        if (writable && IsReadOnly)
            throw new IOException($"{name}: read-only.");
        lock (_gate)
        {
            return _files.TryGetValue(name, out var content)
                ? new FaultyFile(this, content, name, writable)
                : throw new FileNotFoundException($"{name} is not there.");
        }
    }

    public override void Rename(string name, string newName)
    {
        Before(Operation.Rename, 0, 0);
        lock (_gate)
        {
            if (!_files.ContainsKey(name))
                throw new FileNotFoundException($"{name} is not there.");
            Change(files =>
            {
                if (files.Remove(name, out var content))
                    files[newName] = content;
            });
        }
    }

    public override void Delete(string name)
    {
        Before(Operation.Delete, 0, 0);
        lock (_gate)
            Change(files => files.Remove(name));
    }

    public override void Sync()
    {
        Before(Operation.SyncDirectory, 0, 0);
        lock (_gate)
        {
            foreach (var change in _unsynced)
                change(_onDisk);
            _unsynced.Clear();
        }
    }

    public override long FreeBytes()
    {
        lock (_gate)
            return Capacity - _files.Values.Sum(static content => (long)content.Bytes.Length);
    }

    public override IDisposable Lock(string name)
    {
        if (IsReadOnly)
            throw new IOException($"{name}: read-only.");
        if (_isLocked)
            throw new DirectoryLockedException(Path, Environment.ProcessId);
        _isLocked = true;
        return new Unlocking(this);
    }

    /// <summary>Throws if the operation is to fail; else how many of its bytes fit.</summary>
    public int Before(Operation operation, int length, long growth)
    {
        Observed?.Invoke(operation);
        lock (_gate)
        {
            int call = Calls[(int)operation]++;
            bool changes = operation is not (Operation.Read or Operation.Open);
            if (changes && IsReadOnly)
                throw new IOException($"{operation}: read-only.");
            if (HasCrashed)
                throw new IOException($"{operation}: after the crash.");
            if (Operations - 1 == FailAt)
                throw new IOException($"{operation} fails.");
            var fault = _faults.Find(fault => fault.Operation == operation && fault.Includes(call));
            if (fault != null && operation != Operation.Write)
                throw new IOException($"{operation} {call} fails.");
            long free = growth > 0 ? FreeBytes() : long.MaxValue;
            long fits = growth > free ? Math.Max(0, length - (growth - free)) : length;
            return (int)(fault == null ? fits : Math.Min(fits, fault.Written));
        }
    }

    private static FaultyDirectory WithFiles(
        Dictionary<string, FaultyContent> files, Func<FaultyContent, FaultyContent> survivor)
    {
        var directory = new FaultyDirectory();
        foreach (var (name, content) in files.OrderBy(static file => file.Key, StringComparer.Ordinal))
            directory._files[name] = directory._onDisk[name] = survivor(content);
        return directory;
    }

    private void Change(Action<Dictionary<string, FaultyContent>> change)
    {
        change(_files);
        _unsynced.Add(change);
    }

    private sealed record Fault(Operation Operation, int First, int Times, int Written)
    {
        public bool Includes(int call) => call >= First && call - (long)First < Times;
    }

    private sealed class Unlocking(FaultyDirectory directory) : IDisposable
    {
        public void Dispose() => directory._isLocked = false;
    }
}
