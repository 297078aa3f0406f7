namespace Cache.Durability.Tests.Files;

/// <summary>What can fail.</summary>
internal enum Operation
{
    Create,
    Open,
    Read,
    Write,
    Sync,
    Rename,
    Delete,
    SyncDirectory,
}
