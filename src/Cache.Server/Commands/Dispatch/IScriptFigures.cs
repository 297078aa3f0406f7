namespace Cache.Server.Commands.Dispatch;

/// <summary>What INFO tells of scripts. Thread-safe.</summary>
internal interface IScriptFigures
{
    /// <summary>The number of cached scripts.</summary>
    int ScriptCount { get; }

    /// <summary>The memory of their texts in bytes, about.</summary>
    long ScriptBytes { get; }

    /// <summary>The memory of the interpreter in bytes.</summary>
    long InterpreterBytes { get; }
}
