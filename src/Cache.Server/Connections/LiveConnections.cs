using System.Buffers;
using System.Collections;
using System.Diagnostics;

namespace Cache.Server.Connections;

/// <summary>The live connections, as a linked list. Thread-safe.</summary>
internal sealed class LiveConnections : IEnumerable<LiveConnection>
{
    private readonly Lock _lock = new();
    private LiveConnection? _first;
    private int _count;

    /// <summary>The number of connections.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Adds a connection that is not in a list.</summary>
    public void Add(LiveConnection connection)
    {
        lock (_lock)
        {
            Debug.Assert(connection.Next is null && connection.Previous is null && connection != _first);
            connection.Next = _first;
            if (_first is not null)
                _first.Previous = connection;
            _first = connection;
            _count++;
        }
    }

    /// <summary>Removes a connection that is in the list.</summary>
    public void Remove(LiveConnection connection)
    {
        lock (_lock)
        {
            if (connection.Previous is null)
                _first = connection.Next;
            else
                connection.Previous.Next = connection.Next;
            if (connection.Next is not null)
                connection.Next.Previous = connection.Previous;
            connection.Next = connection.Previous = null;
            _count--;
        }
    }

    /// <summary>A snapshot, taken when the first connection is asked for.</summary>
    public IEnumerator<LiveConnection> GetEnumerator()
    {
        var copy = Copy(out int count);
        try
        {
            for (int i = 0; i < count; i++)
                yield return copy[i];
        }
        finally
        {
            ArrayPool<LiveConnection>.Shared.Return(copy, clearArray: true);
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private LiveConnection[] Copy(out int count)
    {
        lock (_lock)
        {
            var copy = ArrayPool<LiveConnection>.Shared.Rent(_count);
            count = 0;
            for (var connection = _first; connection is not null; connection = connection.Next)
                copy[count++] = connection;
            Debug.Assert(count == _count);
            return copy;
        }
    }
}
