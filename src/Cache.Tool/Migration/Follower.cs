using System.Globalization;
using System.Net.Sockets;
using Cache.Durability.Rdb;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Takes a source's snapshot and then its stream of commands, as a replica does.</summary>
/// <remarks>
/// Commands go to the target in the source's order, by one connection. When the link to the source is lost, another one
/// asks for what follows the last whole command; if the source has that no more, its snapshot is taken again. A group
/// (MULTI to EXEC) that is interrupted goes on where it was, since the target's connection has it.
/// </remarks>
internal sealed class Follower(
    ImportPlan plan, Target target, ImportCounts counts, Progress progress, Report output, TimeProvider time,
    CancellationToken stop) : IDisposable
{
    // How long a source may be gone: a restart that loads some gigabytes.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    private const int FirstDelayMs = 100;
    private const int DelayMsMax = 5_000;

    // A snapshot that is never complete is the source's limit of what it keeps for a replica, not chance.
    private const int SnapshotsMax = 3;

    private readonly ServerName _source = plan.Source!;
    private ReplicaLink? _link;
    private LiveInfo? _info;
    private string _id = "";
    private long _offset;
    private long? _goal;
    private int _incomplete;
    private bool _isGroup;
    private bool _isWanted = true;
    private bool _choosesInGroup;

    /// <summary>Runs until all is there, or, where it follows, until it is stopped.</summary>
    /// <exception cref="SourceRefusal">The source refuses PSYNC.</exception>
    public void Run()
    {
        target.OnFailure = () => Volatile.Read(ref _link)?.Abort();
        using var registration = stop.Register(() => Volatile.Read(ref _link)?.Abort());
        while (!TryRunOnce())
        {
        }

        if (stop.IsCancellationRequested)
            Judge();
    }

    public void Dispose() => _info?.Dispose();

    // Who was interrupted has the source's last word only if the source is there: the link to a machine that is gone
    // is silent for long.
    private void Judge()
    {
        if (!plan.Follows)
        {
            if (!HasAll)
                throw new ToolException("Interrupted before all was there: run it again with --replace.");
            return;
        }

        _info ??= new LiveInfo(_source.Address);
        if (!_info.Answers())
            throw InterruptedWithout("it does not answer.");
    }

    // False: the link was lost.
    private bool TryRunOnce()
    {
        try
        {
            using var link = Connect();
            Volatile.Write(ref _link, link);
            link.Reader.BeforeWait = target.Flush;
            if (!link.Continues)
                Load(link);
            else
                output.Line($"The source goes on behind byte {_offset} of its stream: nothing is missing.");
            _id = link.Id;
            Follow(link);
            return true;
        }
        catch (Exception failure) when (IsLoss(failure))
        {
            target.ThrowIfFailed();
            if (!stop.IsCancellationRequested)
            {
                output.Line($"The link to {_source} is lost: {failure.Message}");
                return false;
            }

            if (_id.Length == 0)
                throw new ToolException("Interrupted before the snapshot was complete: run it again with --replace.");
            target.Drain();
            if (_link is null)
                throw InterruptedWithout(failure.Message);
            return true;
        }
        catch (InvalidDataException failure)
        {
            target.Drain();
            throw new ToolException(
                $"What {_source} sends behind byte {_offset} of its stream cannot be read: {failure.Message}.");
        }
        catch (RdbFormatException failure)
        {
            throw new ToolException(
                $"The snapshot of {_source} cannot be read. {failure.Message}", ExitCode.Damaged);
        }
        finally
        {
            Volatile.Write(ref _link, null);
        }
    }

    private static bool IsLoss(Exception failure) =>
        failure is LinkLost or IOException or SocketException or ObjectDisposedException;

    // The first time at once or not at all.
    private ReplicaLink Connect()
    {
        long start = time.GetTimestamp();
        for (int delayMs = FirstDelayMs; ; delayMs = Math.Min(2 * delayMs, DelayMsMax))
        {
            try
            {
                return ReplicaLink.Open(_source.Address, _id, _offset, time, stop);
            }
            catch (Exception failure) when (IsLoss(failure)
                || (failure is ToolException && _incomplete + _id.Length > 0))
            {
                target.ThrowIfFailed();
                if (stop.IsCancellationRequested)
                    throw new LinkLost(failure.Message);
                if (time.GetElapsedTime(start) > s_patience)
                {
                    throw new ToolException(
                        $"{_source} is lost for {s_patience.TotalSeconds} seconds: {failure.Message} The target has "
                        + $"all up to byte {target.Applied} of its stream.");
                }
            }

            stop.WaitHandle.WaitOne(delayMs);
        }
    }

    // Nobody knows then whether the source has more: it is no end in order.
    private ToolException InterruptedWithout(string reason) => new(
        $"Interrupted while {_source} is lost: {reason} The target has all up to byte {target.Applied} of its stream; "
        + "what the source has behind that is missing.");

    private void Load(ReplicaLink link)
    {
        if (_id.Length > 0)
            TellAgain();
        if (++_incomplete > SnapshotsMax)
        {
            throw new ToolException(
                $"{_source} ended the link during each of {SnapshotsMax} snapshots. See its log; its limit may be too "
                + "low: client-output-buffer-limit replica.");
        }

        (_id, _goal, _isWanted) = ("", null, IsWanted(0));
        if (_isGroup)
            target.Discard();
        _isGroup = false;
        if (plan.Empties)
            target.Empty(_source.Database);
        using var stream = link.TakeSnapshot();
        output.Line(stream.Total is { } total
            ? $"{_source} sends a snapshot of {total:n0} bytes."
            : $"{_source} sends a snapshot.");
        new EntryWriter(target, counts, replaces: true, _source.Database, time).Run(
            new RdbReader(stream, EntryWriter.WholeBytesMax), Continue);
        _offset = link.Offset;
        target.Restart(_offset);
        target.TrySelect(_source.Database ?? 0);
        _incomplete = 0;
        output.Line($"The snapshot is complete: {counts.Seen:n0} entries. Its changes follow.");
    }

    private void TellAgain()
    {
        output.Line($"{_source} has no more what follows byte {_offset}: all is taken again from a snapshot.");
        if (!plan.Empties)
            output.Line("What was removed there meanwhile stays in the target; --flush would empty it before.");
    }

    private void Continue()
    {
        if (stop.IsCancellationRequested)
            throw new LinkLost("it was stopped");
        progress.Tick();
    }

    private void Follow(ReplicaLink link)
    {
        link.Follow(() => target.Applied);
        _info ??= new LiveInfo(_source.Address);
        if (!plan.Follows)
            _goal ??= _info.TryOffset(); // Null: it does not say.
        var reader = new CommandReader(link.Reader);
        while (!stop.IsCancellationRequested && (plan.Follows || !HasAll))
        {
            var command = reader.Read();
            long next = _offset + command.Bytes.Length;
            bool isPing = command.Name == "PING";
            Apply(link, command, next);
            _offset = next;
            if (isPing && !plan.Follows)
                _goal ??= _offset; // It is idle now and then; then all is there.
            progress.Tick(TellLag);
        }

        target.Drain();
        link.Tell();
    }

    private bool HasAll => _offset >= _goal && !_isGroup;

    private string TellLag()
    {
        long? end = _info!.TryOffset();
        return end is null
            ? $", byte {target.Applied} of the stream"
            : $", {Math.Max(0, end.Value - target.Applied):n0} bytes behind";
    }

    private bool IsWanted(int database) => _source.Database is not { } only || only == database;

    private void Apply(ReplicaLink link, ReplicatedCommand command, long next)
    {
        switch (command.Name)
        {
            case "PING":
                target.ThrowIfFailed();
                break;
            case "REPLCONF":
                target.Drain();
                target.Pass(next);
                link.Tell();
                break;
            case "SELECT":
                Select(command);
                break;
            case "FLUSHALL" when _source.Database is not null:
                target.Part("FLUSHDB", [], 0).Begin(1).Add("FLUSHDB"u8);
                break;
            case "SWAPDB" when _source.Database is not null:
                throw new ToolException("The source exchanges databases (SWAPDB): one alone cannot be followed.");
            case "MULTI" or "EXEC":
                Group(command, next);
                break;
            case "MOVE" or "COPY" when _source.Database is { } only && Crossing.Of(command) is { } crossing
                && !(_isWanted && crossing.Database == only):
                Cross(command, crossing, only);
                break;
            case var _ when _isWanted:
                target.Forward(command, next);
                break;
        }

        target.Pass(next);
    }

    // Where one database is taken alone, the target has neither what comes into it, nor where what leaves it goes.
    private void Cross(ReplicatedCommand command, Crossing crossing, int only)
    {
        if (_isWanted && crossing.LeavesIt)
            target.Part("DEL", crossing.Key, 0).Begin(2).Add("DEL"u8).Add(crossing.Key);
        else if (crossing.Database == only)
        {
            counts.NoteRefused(
                new Pending(PendingKind.Command, command.Name, only, crossing.Key, 0),
                "ERR the source has taken it from a database that is not followed");
        }
    }

    // Of a group that the target gives up (EXECABORT) its SELECT is not done either.
    private void Group(ReplicatedCommand command, long next)
    {
        _isGroup = command.Name == "MULTI";
        target.Forward(command, next);
        if (!_isGroup && _choosesInGroup)
            target.SelectAgain();
        _choosesInGroup = false;
    }

    private void Select(ReplicatedCommand command)
    {
        if (!int.TryParse(command.Argument, NumberStyles.None, CultureInfo.InvariantCulture, out int database))
            throw new InvalidDataException("a SELECT without a database");
        _isWanted = IsWanted(database);
        _choosesInGroup = _isGroup;
        if (!_isWanted || target.TrySelect(database))
            return;
        _isWanted = false;
        counts.NoteRefused(
            new Pending(PendingKind.Command, "SELECT", database, [], 0),
            "ERR the target has no database of that number; its changes are left");
    }
}
