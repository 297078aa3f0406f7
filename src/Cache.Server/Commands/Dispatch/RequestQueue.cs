using System.Buffers;
using System.Diagnostics;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The requests that a client sent since MULTI, with their bytes.</summary>
/// <remarks>
/// Bytes are copied as they came, one request behind the other, so that queueing a request is one copy and no
/// allocation. Short queues are in arrays of the pool, long ones in native memory, which grows in place and leaves no
/// dead arrays; an empty queue holds neither.
/// </remarks>
internal sealed class RequestQueue
{
    /// <summary>The most requests: their places take 32 MB then, beside their bytes.</summary>
    public const int CountMax = 1 << 20;

    /// <summary>The most bytes of requests but long arguments: as many as one client may send unanswered.</summary>
    public const int BytesMax = 1 << 30;

    // Enough for a dozen of short commands.
    private const int BytesInitially = 1024;
    private const int ArgumentsInitially = 64;
    private const int RequestsInitially = 16;

    // What the places of an argument and of a request take.
    private const int ArgumentBytes = 2 * sizeof(int);
    private const int PlaceBytes = 4 * sizeof(int) + 2 * sizeof(long);

    // Longer queues are in native memory: the pool would keep some arrays of each length, uncounted.
    private const int PooledBytesMax = 1 << 20;

    private byte[] _bytes = [];
    private NativeBytes? _native;
    private ArgumentRange[] _arguments = [];
    private QueuedRequest[] _requests = [];
    private int _length;
    private int _argumentCount;
    private long _elsewhereBytes;

    /// <summary>The number of requests; other threads may read it.</summary>
    public int Count { get; private set; }

    /// <summary>Whether one of its commands may change entries.</summary>
    public bool Writes { get; private set; }

    /// <summary>Whether Redis may send one to replicas that is no write.</summary>
    public bool HasLikeWrite { get; private set; }

    /// <summary>Whether one of its commands may need memory for entries.</summary>
    public bool Grows { get; private set; }

    /// <summary>The bytes of all requests.</summary>
    public long RequestBytes => _length + _elsewhereBytes;

    /// <summary>The memory that it holds.</summary>
    public long MemoryBytes => _bytes.Length + (_native?.Length ?? 0L) + _elsewhereBytes
        + (long)_arguments.Length * ArgumentBytes + (long)_requests.Length * PlaceBytes;

    /// <summary>A request, as its client sent it; valid until the next change of the queue.</summary>
    public RespRequest this[int index]
    {
        get
        {
            ref readonly var request = ref _requests[index];
            return new RespRequest(
                Memory.Slice(request.Start, request.Length),
                _arguments.AsSpan(request.FirstArgument, request.ArgumentCount),
                request.Elsewhere is { } elsewhere ? elsewhere.Span : default);
        }
    }

    private Span<byte> Memory => _native is null ? _bytes : _native.Span;

    /// <summary>The command of a request.</summary>
    public CommandDefinition CommandOf(int index) => _requests[index].Command;

    /// <summary>The argument of a request that is in memory of its own; null: none.</summary>
    public LongArgument? ElsewhereOf(int index) => _requests[index].Elsewhere;

    /// <summary>Whether there is room for a further request.</summary>
    public bool HasRoomFor(in RespRequest request) =>
        Count < CountMax && _length + request.Length <= BytesMax;

    /// <summary>Adds a request.</summary>
    /// <param name="command">Its command.</param>
    /// <param name="request">The request, for which there is room.</param>
    /// <param name="elsewhere">Its argument in memory of its own, which the queue takes over; null: none.</param>
    public void Add(CommandDefinition command, in RespRequest request, LongArgument? elsewhere)
    {
        Debug.Assert(HasRoomFor(request));
        var bytes = request.Bytes;
        var arguments = request.Arguments;
        EnsureBytes(bytes.Length);
        EnsureArguments(arguments.Length);
        EnsureRequests();
        bytes.CopyTo(Memory[_length..]);
        arguments.CopyTo(_arguments.AsSpan(_argumentCount));
        _requests[Count] =
            new QueuedRequest(command, _length, bytes.Length, _argumentCount, arguments.Length, elsewhere);
        _length += bytes.Length;
        _argumentCount += arguments.Length;
        _elsewhereBytes += elsewhere?.Length ?? 0;
        Writes |= (command.Flags & CommandFlags.Write) != 0;
        Grows |= (command.Flags & CommandFlags.DenyOom) != 0;
        Count++;
    }

    /// <summary>Notes what the flags of the command that was added last do not say.</summary>
    public void Note(bool writes, bool isLikeWrite, bool grows)
    {
        Writes |= writes;
        Grows |= grows;
        HasLikeWrite |= isLikeWrite;
    }

    /// <summary>Forgets all requests, and gives their memory back.</summary>
    public void Clear()
    {
        for (int i = 0; _elsewhereBytes > 0 && i < Count; i++)
            _requests[i].Elsewhere?.Clear();
        Return(ref _bytes);
        Return(ref _arguments);
        _requests.AsSpan(0, Count).Clear(); // The pool must not keep what they refer to.
        Return(ref _requests);
        _native?.Dispose();
        _native = null;
        Count = _length = _argumentCount = 0;
        _elsewhereBytes = 0;
        Writes = HasLikeWrite = Grows = false;
    }

    private void EnsureBytes(int more)
    {
        int needed = _length + more;
        if (needed <= Memory.Length)
            return;
        int size = (int)Math.Clamp(2L * Memory.Length, Math.Max(needed, BytesInitially), Math.Max(needed, BytesMax));
        if (_native is not null)
        {
            _native.Grow(size);
        }
        else if (size <= PooledBytesMax)
        {
            Grow(ref _bytes, _length, size);
        }
        else
        {
            var native = new NativeBytes(size);
            _bytes.AsSpan(0, _length).CopyTo(native.Span);
            Return(ref _bytes);
            _native = native;
        }
    }

    private void EnsureArguments(int more)
    {
        int needed = _argumentCount + more;
        if (needed > _arguments.Length)
            Grow(ref _arguments, _argumentCount, Math.Max(Math.Max(needed, ArgumentsInitially), 2 * _arguments.Length));
    }

    private void EnsureRequests()
    {
        if (Count == _requests.Length)
            Grow(ref _requests, Count, Math.Max(RequestsInitially, 2 * Count));
    }

    private static void Grow<T>(ref T[] array, int count, int size)
    {
        var larger = ArrayPool<T>.Shared.Rent(size);
        array.AsSpan(0, count).CopyTo(larger);
        array.AsSpan(0, count).Clear();
        Return(ref array);
        array = larger;
    }

    private static void Return<T>(ref T[] array)
    {
        if (array.Length > 0)
            ArrayPool<T>.Shared.Return(array);
        array = [];
    }

    /// <summary>A request that waits for EXEC: where its bytes and its arguments' places are in the queue.</summary>
    /// <param name="Command">The command, which the table has found.</param>
    /// <param name="Start">The index of its first byte.</param>
    /// <param name="Length">The number of its bytes.</param>
    /// <param name="FirstArgument">The index of its first argument.</param>
    /// <param name="ArgumentCount">The number of its arguments, its name included.</param>
    /// <param name="Elsewhere">The argument in memory of its own; null: none.</param>
    private readonly record struct QueuedRequest(
        CommandDefinition Command, int Start, int Length, int FirstArgument, int ArgumentCount,
        LongArgument? Elsewhere);
}
