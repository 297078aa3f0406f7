namespace Cache.Server.Commands.Table;

/// <summary>A command or subcommand as ACL rules see it.</summary>
/// <param name="Index">Its bit.</param>
/// <param name="Name">The name in lower case; of a subcommand "container|subcommand".</param>
/// <param name="Categories">The bits of its categories.</param>
/// <param name="Parent">The container of a subcommand; null for others.</param>
internal sealed record AclCommand(int Index, string Name, uint Categories, AclCommand? Parent)
{
    /// <summary>The subcommands of a container; empty for other commands.</summary>
    public List<AclCommand> Subcommands { get; } = [];
}
