namespace Cache.Tool.Verbs;

/// <summary>Ends the command, with a sentence for its user.</summary>
internal sealed class ToolException(string message, ExitCode code = ExitCode.Failed) : Exception(message)
{
    public ExitCode Code { get; } = code;
}
