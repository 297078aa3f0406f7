namespace Cache.Server.Commands.Table;

/// <summary>Which arguments of a command are channels that a user must have a right to.</summary>
internal enum ChannelArguments
{
    /// <summary>None.</summary>
    None,

    /// <summary>The first.</summary>
    One,

    /// <summary>All.</summary>
    All,

    /// <summary>All are patterns of channels.</summary>
    Patterns,
}
