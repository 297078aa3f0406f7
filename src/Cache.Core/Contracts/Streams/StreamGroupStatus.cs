namespace Cache.Core;

/// <summary>What became of a call that concerns a group of a stream.</summary>
public enum StreamGroupStatus
{
    /// <summary>It was made, unless the status of the write says otherwise.</summary>
    Done,

    /// <summary>The stream has no such group.</summary>
    NoGroup,

    /// <summary>The group has no such consumer.</summary>
    NoConsumer,

    /// <summary>There is such a group, or consumer, already.</summary>
    Exists,
}
