using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Keyspace;

/// <summary>A prefix with what its keys take, by the last pass, and make in a second, by samples.</summary>
/// <param name="Prefix">The prefix; empty: the keys without a separator.</param>
/// <param name="Figures">Its figures; rates are those of a second.</param>
/// <param name="IsRest">Whether it stands for the prefixes that are not told apart.</param>
internal readonly record struct PrefixRow(byte[] Prefix, PrefixFigures Figures, bool IsRest = false)
{
    /// <summary>The mean time that those which expire have left.</summary>
    public long MeanTimeToLiveMs =>
        Figures.Expiring > 0 ? (long)(Figures.TimeToLiveMs / Figures.Expiring) : 0;

    /// <summary>The figure of an order: SIZE, KEYS, READS, WRITES or BYTES; null: none of that name.</summary>
    public static Func<PrefixFigures, double>? OrderOf(ReadOnlySpan<byte> name)
    {
        if (name.Is("SIZE"u8))
            return static one => one.Size;
        if (name.Is("KEYS"u8))
            return static one => one.Keys;
        if (name.Is("READS"u8))
            return static one => one.Reads;
        if (name.Is("WRITES"u8))
            return static one => one.Writes;
        return name.Is("BYTES"u8) ? static one => one.Traffic : null;
    }

    /// <summary>The prefixes of a server's keys in an order, the greatest first, and the rest at the end.</summary>
    public static List<PrefixRow> Find(ServerState server, Func<PrefixFigures, double> order)
    {
        byte separator = server.Settings.PrefixSeparator;
        var sums = server.Statistics.SumPrefixes(separator, server.TimeProvider.GetTimestamp());
        if (server.KeyspacePass is { } pass && pass.Separator == separator)
            sums.Add(pass.Prefixes, factor: 1);
        var rows = new List<PrefixRow>();
        for (int i = 0; i < sums.Count; i++)
        {
            if (sums.FiguresAt(i).Weight > 0)
                rows.Add(new PrefixRow(sums.PrefixAt(i).ToArray(), sums.FiguresAt(i)));
        }

        rows.Sort((one, other) => order(other.Figures).CompareTo(order(one.Figures)) is var by and not 0
            ? by
            : one.Prefix.AsSpan().SequenceCompareTo(other.Prefix));
        if (sums.Others.Weight > 0)
            rows.Add(new PrefixRow("(others)"u8.ToArray(), sums.Others, IsRest: true));
        return rows;
    }
}
