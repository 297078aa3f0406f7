using Cache.Durability.Rdb;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Puts what another server has into a server, and what comes meanwhile or afterwards.</summary>
internal sealed class SourceImport(ImportPlan plan, Report output, TimeProvider time, CancellationToken stop)
{
    private readonly ImportCounts _counts = new();
    private readonly ServerName _source = plan.Source!;

    public ExitCode Run()
    {
        var progress = new Progress(output, _counts, time);
        RefuseItself();
        bool replaces = plan.Replaces || plan.Empties || !plan.Scans;
        using var target = Target.Open(plan.Target.Address, _counts, replaces, time);
        if (!plan.Scans)
            RefuseKeys(target);
        try
        {
            if (plan.Scans)
                Scan(target, progress);
            else
                Replicate(target, progress);
        }
        finally
        {
            progress.End();
        }

        return _counts.Refused == 0 ? ExitCode.Whole : ExitCode.Damaged;
    }

    // By whatever name: --flush would leave nothing of it, and each change that is made comes back as its own.
    private void RefuseItself()
    {
        using var source = new LiveInfo(_source.Address);
        using var target = new LiveInfo(plan.Target.Address);
        if (source.TryRunId() is { } id && id == target.TryRunId())
            throw new ToolException($"--from {_source} and --to {plan.Target} are the same server.");
    }

    private void RefuseKeys(Target target)
    {
        if (!plan.Replaces && !plan.Empties && target.HasKeys())
        {
            throw new ToolException(
                $"{plan.Target} has keys, which the changes of {_source} would be made in: --replace replaces those of "
                + "the same names, --flush removes all, and --scan copies without changes and keeps them.");
        }
    }

    private void Replicate(Target target, Progress progress)
    {
        try
        {
            using var follower = new Follower(plan, target, _counts, progress, output, time, stop);
            follower.Run();
        }
        catch (SourceRefusal refusal) when (!plan.Follows)
        {
            output.Line($"{_source} refuses PSYNC ({refusal.Message}): its keys are read by SCAN and DUMP. What is");
            output.Line("written there meanwhile may be missed.");
            Scan(target, progress);
        }
        catch (SourceRefusal refusal)
        {
            throw new ToolException(
                $"{_source} refuses PSYNC ({refusal.Message}), which --follow needs. Without it, its keys are read by "
                + "SCAN and DUMP.");
        }
    }

    private void Scan(Target target, Progress progress)
    {
        using var scan = new ScanSource(_source.Address, time); // First: what cannot be read replaces nothing.
        if (plan.Empties)
            target.Empty(_source.Database);
        scan.Read(_source.Database, entry =>
        {
            if (stop.IsCancellationRequested)
                throw new ToolException("Interrupted: a run again with --replace copies all of it.");
            Put(target, entry);
            progress.Tick();
        });
        target.Drain();
    }

    private void Put(Target target, in ScannedEntry entry)
    {
        bool isSelected = target.TrySelect(entry.Database);
        string? refusal = entry.Refusal ?? (isSelected ? null : "ERR the target has no database of that number");
        if (refusal is null)
        {
            target.Restore(entry.Key, entry.Payload, entry.ExpiresAtMs);
            return;
        }

        string type = entry.Payload.Length == 0 ? "" : RdbSkipper.NameOf((RdbType)entry.Payload[0]) ?? "";
        _counts.NoteRefused(new Pending(PendingKind.Entry, type, entry.Database, entry.Key, 0), refusal);
    }
}
