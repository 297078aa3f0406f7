using System.Runtime.CompilerServices;

namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>The sequential specification of one key: its value, and who wrote last.</summary>
/// <remarks>
/// The writer stands for the version: a thread that took a version remembers the writer of that moment, and its
/// SetIfUnchanged may succeed only while that writer is still the last.
/// </remarks>
internal struct KeyState : IEquatable<KeyState>
{
    public const int ThreadsMax = 8;

    private bool _isPresent;
    private long _value;
    private int _writer;
    private Writers _seen;

    public static KeyState Absent => default;

    public static KeyState Present(long value) => new() { _isPresent = true, _value = value };

    /// <summary>Applies an operation if it could have been answered so in this state.</summary>
    /// <param name="operation">The operation as it was recorded.</param>
    /// <param name="id">Names the operation as a writer; above 0.</param>
    public bool TryApply(in KeyOperation operation, int id)
    {
        if (operation.IsLost)
            return ApplyLost(operation, id);
        switch (operation.Kind)
        {
            case OperationKind.Get:
                return Shows(operation);
            case OperationKind.GetVersion:
                _seen[operation.Thread] = _writer;
                return Shows(operation);
            case OperationKind.Set:
                return Write(operation.Argument, id);
            case OperationKind.SetIfAbsent:
                return operation.Succeeded != _isPresent && (_isPresent || Write(operation.Argument, id));
            case OperationKind.SetIfUnchanged:
                return !operation.Succeeded
                    || (_seen[operation.Thread] == _writer && Write(operation.Argument, id));
            case OperationKind.Exchange:
                return Shows(operation) && Write(operation.Argument, id);
            case OperationKind.Increment:
                return (_isPresent ? _value : 0) + operation.Argument == operation.Result
                    && Write(operation.Result, id);
            case OperationKind.Remove:
                return operation.Succeeded == _isPresent && Remove(id);
            case OperationKind.TryRemove:
                return Shows(operation) && Remove(id);
            case OperationKind.Clear:
                return Remove(id);
            default:
                throw new ArgumentOutOfRangeException(nameof(operation));
        }
    }

    /// <summary>The entry goes as by a removal that nobody asked for.</summary>
    /// <returns>False if there is none.</returns>
    public bool TryEvict(int id) => _isPresent && Remove(id);

    public readonly bool Equals(KeyState other) =>
        _isPresent == other._isPresent && _value == other._value && _writer == other._writer
        && ((ReadOnlySpan<int>)_seen).SequenceEqual(other._seen);

    public override readonly bool Equals(object? obj) => obj is KeyState other && Equals(other);

    public override readonly int GetHashCode()
    {
        var hash = new HashCode();
        hash.Add(_value);
        hash.Add(_writer);
        foreach (int writer in _seen)
            hash.Add(writer);
        return hash.ToHashCode();
    }

    private readonly bool Shows(in KeyOperation operation) =>
        operation.Succeeded == _isPresent && (!_isPresent || operation.Result == _value);

    // As it takes place where nobody hears the answer.
    private bool ApplyLost(in KeyOperation operation, int id) => operation.Kind switch
    {
        OperationKind.Get or OperationKind.GetVersion => true,
        OperationKind.Set or OperationKind.Exchange => Write(operation.Argument, id),
        OperationKind.SetIfAbsent => _isPresent || Write(operation.Argument, id),
        OperationKind.SetIfUnchanged => _seen[operation.Thread] == _writer && Write(operation.Argument, id),
        OperationKind.Increment => Write((_isPresent ? _value : 0) + operation.Argument, id),
        OperationKind.Remove or OperationKind.TryRemove => Remove(id),
        _ => throw new ArgumentOutOfRangeException(nameof(operation)),
    };

    private bool Write(long value, int id)
    {
        _isPresent = true;
        _value = value;
        _writer = id;
        return true;
    }

    // The removal of what is not there writes nothing.
    private bool Remove(int id)
    {
        if (_isPresent)
            _writer = id;
        _isPresent = false;
        _value = 0;
        return true;
    }

    [InlineArray(ThreadsMax)]
    private struct Writers
    {
        private int _first;
    }
}
