using System.Globalization;
using Cache.Core;
using Cache.Durability.Attachment;
using Cache.Durability.Format;
using Cache.Durability.Recovery;

namespace Cache.Tool;

/// <summary>Counts records by their kinds, and checks what a start would check.</summary>
internal sealed class RecordCounts : IRecordTarget
{
    private readonly long[] _counts = new long[byte.MaxValue + 1];

    /// <summary>Receives each record that is right.</summary>
    public RecordSink? Sink { get; init; }

    public string Apply(in RecordView record, ReadOnlySpan<byte> value)
    {
        var fields = record.Fields;
        if (fields.Keyspace >= CacheOptions.KeyspaceCountMax)
            return $"is of keyspace {fields.Keyspace}; a store has {CacheOptions.KeyspaceCountMax} at most";
        string problem = RecordRules.ProblemOf(fields);
        if (problem.Length == 0 && fields.Kind == RecordKind.Databases)
            problem = RecordRules.ProblemOfDatabases(value, CacheOptions.KeyspaceCountMax);
        if (problem.Length == 0)
            problem = StoredType.ProblemOf(fields, value);
        if (problem.Length != 0)
            return problem;
        _counts[(int)fields.Kind]++;
        Sink?.Invoke(record, value);
        return "";
    }

    /// <summary>The counts in words: "12 set, 1 remove"; "no records" without any.</summary>
    public override string ToString()
    {
        var counts = _counts.Index().Where(static one => one.Item != 0).Select(static one => string.Create(
            CultureInfo.InvariantCulture, $"{one.Item:n0} {NameOf((RecordKind)one.Index)}"));
        string text = string.Join(", ", counts);
        return text.Length == 0 ? "no records" : text;
    }

    public static string NameOf(RecordKind kind) => kind switch
    {
        RecordKind.Set => "set",
        RecordKind.Remove => "remove",
        RecordKind.Expire => "expire",
        RecordKind.Clear => "clear",
        RecordKind.Patch => "patch",
        RecordKind.Elements => "elements",
        RecordKind.Databases => "databases",
        _ => string.Create(CultureInfo.InvariantCulture, $"of kind {(int)kind}"),
    };
}
