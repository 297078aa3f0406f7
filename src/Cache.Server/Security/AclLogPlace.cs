namespace Cache.Server.Security;

/// <summary>Where a request was denied.</summary>
internal enum AclLogPlace
{
    /// <summary>When its client sent it.</summary>
    TopLevel,

    /// <summary>In EXEC, although it had been queued.</summary>
    Transaction,

    /// <summary>In a script.</summary>
    Script,
}
