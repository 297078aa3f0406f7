namespace Cache.Server.Commands.Dispatch;

/// <summary>What is done in an atomic section: see <see cref="AtomicSection"/>.</summary>
internal interface IAtomicBody
{
    /// <summary>Executes commands, by <see cref="CommandDispatcher.ExecuteInside"/>.</summary>
    void Run(CommandContext context);
}
