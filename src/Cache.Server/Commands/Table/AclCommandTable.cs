namespace Cache.Server.Commands.Table;

/// <summary>
/// All commands that an ACL rule may name: those of Redis 7.0, even if they do not exist here, so that files of users
/// work in both, and those that this server adds.
/// </summary>
/// <remarks>Containers come before their subcommands. Immutable once made.</remarks>
internal sealed class AclCommandTable
{
    private const string ResourceName = "Cache.Server.Commands.AclCommandTable.tsv";

    private readonly Dictionary<string, AclCommand> _byName = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<AclCommand> _all = [];

    private AclCommandTable(IReadOnlyList<CommandDefinition> executable)
    {
        using var resource = typeof(AclCommandTable).Assembly.GetManifestResourceStream(ResourceName)
            ?? throw new InvalidOperationException($"The assembly has no resource {ResourceName}.");
        using var reader = new StreamReader(resource);
        while (reader.ReadLine() is { } line)
        {
            string[] columns = line.Split('\t');
            Add(columns[0], columns[1].Split(' ', StringSplitOptions.RemoveEmptyEntries));
        }

        OfRedisCount = _all.Count;
        AddOwn(executable, areSubcommands: false);
        AddOwn(executable, areSubcommands: true);
    }

    /// <summary>The table for the commands of this server.</summary>
    public static AclCommandTable Default { get; } = new(CommandTable.Default.All);

    public IReadOnlyList<AclCommand> All => _all;

    /// <summary>The number of those of Redis 7.0, which come first.</summary>
    public int OfRedisCount { get; }

    /// <summary>The command of that name, or the subcommand "container|subcommand"; null if there is none.</summary>
    public AclCommand? Find(string name) => _byName.GetValueOrDefault(name);

    /// <summary>The names of the commands of a category.</summary>
    public List<string> FindNames(uint category)
    {
        var names = new List<string>();
        foreach (var command in _all)
        {
            if ((command.Categories & category) != 0)
                names.Add(command.Name);
        }

        return names;
    }

    private void AddOwn(IReadOnlyList<CommandDefinition> executable, bool areSubcommands)
    {
        foreach (var command in executable)
        {
            bool isSubcommand = command.Name.Contains('|', StringComparison.Ordinal);
            if (isSubcommand == areSubcommands && !_byName.ContainsKey(command.Name))
                Add(command.Name, command.Categories);
        }
    }

    private void Add(string name, string[] categories)
    {
        uint bits = 0;
        foreach (string category in categories)
            bits |= AclCategories.Find(category[1..]);
        int bar = name.IndexOf('|', StringComparison.Ordinal);
        var parent = bar < 0 ? null : _byName[name[..bar]];
        var command = new AclCommand(_all.Count, name, bits, parent);
        parent?.Subcommands.Add(command);
        _byName.Add(name, command);
        _all.Add(command);
    }
}
