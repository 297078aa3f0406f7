using System.Globalization;

namespace Cache.Tool.Verbs;

/// <summary>The words behind a verb: operands in order, and options in any place.</summary>
internal sealed class VerbWords
{
    private const string EndOfOptions = "--";

    private readonly List<string> _operands = [];
    private readonly Dictionary<string, string> _options = [];

    private VerbWords()
    {
    }

    public IReadOnlyList<string> Operands => _operands;

    public bool Has(string option) => _options.ContainsKey(option);

    /// <summary>The value of an option; null if it was not given.</summary>
    public string? ValueOf(string option) => _options.GetValueOrDefault(option);

    /// <summary>The number that an option gives, or another one.</summary>
    /// <exception cref="ToolException">It is none within the bounds.</exception>
    public int NumberOf(string option, int otherwise, int min, int max)
    {
        if (ValueOf(option) is not { } text)
            return otherwise;
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            && number >= min && number <= max
            ? number
            : throw new ToolException($"{option} {text}: a number from {min} to {max} is needed.");
    }

    /// <exception cref="ToolException">A word is wrong, or one is missing.</exception>
    public static VerbWords Parse(Verb verb, IReadOnlyList<string> words)
    {
        var parsed = new VerbWords();
        bool mayBeOption = true;
        for (int i = 0; i < words.Count; i++)
        {
            if (mayBeOption && words[i] == EndOfOptions)
                mayBeOption = false;
            else if (mayBeOption && verb.NameOf(words[i]).StartsWith("--", StringComparison.Ordinal))
                i += parsed.AddOption(verb, verb.NameOf(words[i]), i + 1 < words.Count ? words[i + 1] : null);
            else
                parsed._operands.Add(words[i]);
        }

        if (parsed._operands.Count < verb.Operands.Count - verb.FreeOperands)
            throw new ToolException($"{verb.Name} needs {verb.Operands[parsed._operands.Count]}: {verb.Usage}");
        if (parsed._operands.Count > verb.Operands.Count)
            throw new ToolException($"'{parsed._operands[verb.Operands.Count]}' is one word too many: {verb.Usage}");
        if (parsed._operands.IndexOf("") is >= 0 and var empty) // A variable of a script that is not set.
            throw new ToolException($"{verb.Operands[empty]} is empty: {verb.Usage}");
        return parsed;
    }

    // Returns how many of the further words it has taken.
    private int AddOption(Verb verb, string word, string? next)
    {
        int equals = word.IndexOf('=');
        string name = equals < 0 ? word : word[..equals];
        if (!verb.Options.TryGetValue(name, out string? valueName))
            throw new ToolException($"{name} is not an option of {verb.Name}: {verb.Usage}");
        bool hasValue = valueName is not null;
        if (!hasValue && equals >= 0)
            throw new ToolException($"{name} has no value: {verb.Usage}");
        string? value = !hasValue ? "" : equals < 0 ? next : word[(equals + 1)..];
        if (!_options.TryAdd(name, value ?? throw new ToolException($"{name} needs a value: {verb.Usage}")))
            throw new ToolException($"{name} is given twice.");
        return hasValue && equals < 0 ? 1 : 0;
    }
}
