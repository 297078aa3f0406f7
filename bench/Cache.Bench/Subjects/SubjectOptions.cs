using System.CommandLine;
using Cache.Bench.Verbs;

namespace Cache.Bench.Subjects;

/// <summary>The options that the verbs over subjects share.</summary>
internal static class SubjectOptions
{
    /// <summary>What may be measured beside the store.</summary>
    public static readonly string[] Rivals =
        ["dictionary", "memorycache", "fusioncache", "door", "memorydistributed"];

    public static readonly Option<int> Keys = new("--keys")
    {
        Description = "The number of entries.",
        DefaultValueFactory = static _ => 1_000_000,
    };

    public static readonly Option<int> Value = new("--value")
    {
        Description = "Bytes of a value.",
        DefaultValueFactory = static _ => 64,
    };

    public static readonly Option<string> Against = new("--against")
    {
        Description = $"Measured beside the store, of {string.Join(',', Rivals)}; the last two are distributed caches.",
        DefaultValueFactory = static _ => "dictionary,memorycache",
    };

    static SubjectOptions()
    {
        Keys.RequireAtLeast(KeyBlock.Count);
        Value.RequireAtLeast(KeyBlock.ValueLengthMin);
        Against.Validators.Add(static result =>
        {
            foreach (string name in Split(result.GetValue(Against)))
            {
                if (!Rivals.Contains(name))
                    result.AddError($"--against is {name}; it must be of {string.Join(',', Rivals)}.");
            }
        });
    }

    /// <summary>The store first, then what it is measured against.</summary>
    public static string[] SubjectNames(this ParseResult arguments) => ["store", .. Split(arguments.GetValue(Against))];

    public static string[] Split(string? list) =>
        (list ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    /// <summary>A subject with all keys, checked for having them.</summary>
    public static Subject CreateLoaded(string name, int keys, int valueLength, TimeSpan timeToLive = default)
    {
        var subject = Subject.Create(name, keys, valueLength);
        byte[] value = new byte[valueLength];
        for (int i = 0; i < keys; i++)
        {
            System.Buffers.Binary.BinaryPrimitives.WriteInt32LittleEndian(value, i);
            subject.Load(BenchKey.ToText(i), value, timeToLive);
        }

        if (subject.Count != keys)
            throw new WrongAnswerException($"{name} holds {subject.Count} entries; {keys} were loaded.");
        return subject;
    }
}
