using System.Text;
using System.Text.Json;

namespace Cache.Server.Commands.Table;

/// <summary>
/// All commands: the rows of CommandTable.json, generated from Redis's own table.
/// </summary>
/// <remarks>
/// The source for lookup, arity, keys, rights, documentation and counters. eng/commands has its generator. Immutable.
/// </remarks>
internal sealed class CommandTable
{
    private const string ResourceName = "Cache.Server.Commands.CommandTable.json";

    private readonly CommandLookup _lookup;
    private readonly IReadOnlyList<CommandDefinition> _commands;

    private CommandTable()
    {
        using var resource = typeof(CommandTable).Assembly.GetManifestResourceStream(ResourceName)
            ?? throw new InvalidOperationException($"The assembly has no resource {ResourceName}.");
        using var document = JsonDocument.Parse(resource);
        var all = new List<CommandDefinition>();
        _commands = Build(document.RootElement.Clone(), all);
        _lookup = new CommandLookup(_commands);
        All = all;
        Get = Find("get"u8)!;
        Set = Find("set"u8)!;
    }

    // The same commands, some of them renamed or disabled.
    private CommandTable(CommandTable table, Dictionary<string, string> names)
    {
        All = table.All;
        Get = table.Get;
        Set = table.Set;
        var named = new List<(byte[] Name, CommandDefinition Command)>();
        foreach (var command in table._commands)
        {
            string name = names.GetValueOrDefault(command.Name, command.Name);
            if (name.Length > 0)
                named.Add((Encoding.UTF8.GetBytes(name), command));
        }

        _commands = named.ConvertAll(static each => each.Command);
        _lookup = new CommandLookup(named);
        HasCommonNames = Find("get"u8) == Get && Find("set"u8) == Set;
    }

    /// <summary>The table, read at first use.</summary>
    public static CommandTable Default { get; } = new();

    /// <summary>Commands and subcommands, by <see cref="CommandDefinition.Index"/>.</summary>
    public IReadOnlyList<CommandDefinition> All { get; }

    /// <summary>The commands without subcommands, in the order of the table.</summary>
    public IReadOnlyList<CommandDefinition> Commands => _lookup.Commands;

    /// <summary>GET, which is not looked up by name in its common form.</summary>
    public CommandDefinition Get { get; }

    /// <summary>SET, likewise.</summary>
    public CommandDefinition Set { get; }

    /// <summary>
    /// Whether these two have their own names, so that their requests can be recognized by their bytes.
    /// </summary>
    public bool HasCommonNames { get; } = true;

    /// <summary>The same commands, some of them renamed; an empty name disables a command.</summary>
    /// <param name="names">New names by present ones, for which <see cref="FindRenameProblem"/> returned null.</param>
    public CommandTable Rename(IReadOnlyDictionary<string, string> names) => names.Count == 0
        ? this
        : new CommandTable(this, new Dictionary<string, string>(names, StringComparer.OrdinalIgnoreCase));

    /// <summary>Why commands cannot be renamed in this way, as the rest of a sentence; null: they can.</summary>
    public string? FindRenameProblem(IReadOnlyDictionary<string, string> names)
    {
        var taken = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var command in _commands)
            taken.Add(command.Name);
        foreach (var (name, _) in names)
        {
            if (!taken.Remove(name))
                return $"has '{name}'; it must be the name of a command, and of each only once.";
        }

        foreach (var (name, newName) in names)
        {
            if (newName.Length > 0 && !taken.Add(newName))
                return $"names '{name}' '{newName}'; no other command may have that name.";
        }

        return null;
    }

    /// <summary>The command of that name, in any case of letters; null if there is none.</summary>
    public CommandDefinition? Find(ReadOnlySpan<byte> name) => _lookup.Find(name);

    /// <summary>The command of that name, or the subcommand "container|subcommand"; null if there is none.</summary>
    public CommandDefinition? FindFull(ReadOnlySpan<byte> name)
    {
        int bar = name.IndexOf((byte)'|');
        return bar < 0 ? Find(name) : Find(name[..bar])?.Subcommands?.Find(name[(bar + 1)..]);
    }

    // Rows of subcommands follow their container's row.
    private static List<CommandDefinition> Build(JsonElement rows, List<CommandDefinition> all)
    {
        var commands = new List<CommandDefinition>();
        int count = rows.GetArrayLength();
        for (int i = 0; i < count;)
        {
            var row = rows[i++];
            string name = NameOf(row);
            var subcommands = new List<CommandDefinition>();
            for (; i < count && NameOf(rows[i]).StartsWith(name + "|", StringComparison.Ordinal); i++)
                subcommands.Add(Define(rows[i], all, null));
            var lookup = subcommands.Count > 0 ? new CommandLookup(subcommands) : null;
            commands.Add(Define(row, all, lookup));
        }

        return commands;
    }

    private static string NameOf(JsonElement row) => row.GetProperty("name").GetString()!;

    private static CommandDefinition Define(JsonElement row, List<CommandDefinition> all, CommandLookup? lookup)
    {
        var command = new CommandDefinition(row, all.Count, lookup);
        all.Add(command);
        return command;
    }
}
