using System.Numerics;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Watches;

namespace Cache.Server.Commands.Transactions;

/// <summary>What the queued commands of a client need: which keys, how much room, and which thread.</summary>
/// <remarks>
/// SELECT, SWAPDB, MOVE and COPY may make later commands use other keyspaces, or not, if they fail. So each key is
/// locked in each keyspace that the queue names: a lock too many does no harm.
/// </remarks>
internal readonly ref struct TransactionPlan
{
    // Of a longer queue others would wait for their turn.
    private const int ShortCountMax = 256;
    private const long ShortBytesMax = 64 << 10;

    // A second clear may find no room for what the first one cleared: under locks nothing can be freed.
    private const int ClearsMax = 1;

    private readonly RequestQueue _queue;
    private readonly CommandContext _context;
    private readonly bool _clearsApart;

    public TransactionPlan(RequestQueue queue, CommandContext context)
    {
        _queue = queue;
        _context = context;
        int clears = 0;
        bool isShort = queue.Count <= ShortCountMax && queue.RequestBytes <= ShortBytesMax;
        Keyspaces = 1U << context.Store.Keyspace;
        for (int i = 0; i < queue.Count; i++)
        {
            var command = queue.CommandOf(i);
            if (command.Role == TransactionRole.Clear)
                _clearsApart = ++clears > ClearsMax;
            NeedsAll |= IsWhole(i);
            isShort &= command.Work == CommandWork.Short;
            if (command.NamesDatabase)
                Keyspaces |= KeyspacesIn(queue[i]);
        }

        NeedsAll |= _clearsApart;
        IsShort = isShort && !NeedsAll;
    }

    /// <summary>Whether a command uses keys that nothing names before, or changes more than keys.</summary>
    public bool NeedsAll { get; }

    /// <summary>Whether it is certainly little work, whatever the keys have.</summary>
    public bool IsShort { get; }

    /// <summary>The keyspaces that commands may use, one bit for each.</summary>
    private uint Keyspaces { get; }

    /// <summary>Whether a command needs more than the keys that it names, or no locks: it is executed apart.</summary>
    public bool IsWhole(int index)
    {
        var command = _queue.CommandOf(index);
        return command.Role == TransactionRole.Clear ? _clearsApart : command.IsWhole(_queue[index]);
    }

    /// <summary>About how much work it is, in steps of a nanosecond.</summary>
    public long FindWork()
    {
        long work = _queue.RequestBytes + _queue.Count * TransactionWork.CallWork;
        for (int i = 0; i < _queue.Count && work <= Turn.WorkMax; i++)
            work += TransactionWork.Of(_queue.CommandOf(i), _queue[i], _context);
        return work;
    }

    /// <summary>Declares the keys of some requests, and the room for what they write.</summary>
    public void Declare(int first, int end, DeclaredKeys keys)
    {
        bool isRecorded = _context.Store.HasJournal;
        long queuedBytes = 0;
        for (int i = first; i < end; i++)
        {
            var command = _queue.CommandOf(i);
            var request = _queue[i];
            queuedBytes += request.Length;
            int count = 0;
            var found = new KeyEnumerator(command, request, 0);
            while (found.MoveNext())
            {
                Declare(request[found.Index], isRecorded, keys);
                count++;
            }

            if ((command.Flags & CommandFlags.Write) != 0)
                TransactionWork.AddWrites(command, request, count, queuedBytes, isRecorded, keys, _context);
        }
    }

    /// <summary>Declares the watched keys.</summary>
    public static void Declare(IReadOnlyList<WatchedName> watches, DeclaredKeys keys)
    {
        foreach (var watch in watches)
            keys.Add(watch.Key, watch.Keyspace);
    }

    private void Declare(ReadOnlySpan<byte> key, bool isRecorded, DeclaredKeys keys)
    {
        for (uint left = Keyspaces; left != 0; left &= left - 1)
        {
            int keyspace = BitOperations.TrailingZeroCount(left);
            if (isRecorded)
                keys.Add(key, keyspace);
            else
                keys.AddOnce(key, keyspace);
        }
    }

    // Any number of a database in it: the commands find out what it means.
    private uint KeyspacesIn(in RespRequest request)
    {
        uint keyspaces = 0;
        var databases = _context.Server.Databases;
        for (int i = 1; i < request.Count; i++)
        {
            if (!request.IsElsewhere(i) && RespInteger.TryParse(request[i], out long number)
                && (ulong)number < (ulong)databases.Count)
            {
                keyspaces |= 1U << databases[(int)number].Keyspace;
            }
        }

        return keyspaces;
    }
}
