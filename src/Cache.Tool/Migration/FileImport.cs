using Cache.Durability.Rdb;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>Puts the entries of an RDB file into a server.</summary>
/// <remarks>The checksum is at the end: the file is read twice, first to check it and to count.</remarks>
internal sealed class FileImport(ImportPlan plan, Report output, TimeProvider time, CancellationToken stop)
{
    private readonly ImportCounts _counts = new();

    public ExitCode Run(string dump)
    {
        if (!File.Exists(dump))
            throw new ToolException($"{dump} does not exist.");
        try
        {
            var progress = new Progress(output, _counts, time) { Total = Check(dump) };
            using var target = Target.Open(plan.Target.Address, _counts, plan.Replaces, time);
            if (plan.Empties)
                target.Empty(database: null);
            using var stream = File.OpenRead(dump);
            new EntryWriter(target, _counts, plan.Replaces, onlyDatabase: null, time).Run(
                new RdbReader(stream, EntryWriter.WholeBytesMax), () => Continue(progress));
            progress.End();
        }
        catch (RdbFormatException failure)
        {
            throw new ToolException($"{dump} is damaged, or no RDB file. {failure.Message}", ExitCode.Damaged);
        }

        return _counts.Refused == 0 ? ExitCode.Whole : ExitCode.Damaged;
    }

    private void Continue(Progress progress)
    {
        if (stop.IsCancellationRequested)
        {
            progress.End();
            throw new ToolException("Interrupted: a run again with --replace puts all of it.");
        }

        progress.Tick();
    }

    private static long Check(string dump)
    {
        using var stream = File.OpenRead(dump);
        var reader = new RdbReader(stream, EntryWriter.WholeBytesMax);
        long count = 0;
        while (reader.TryRead(out _))
            count++;
        return count;
    }
}
