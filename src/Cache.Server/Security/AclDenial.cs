namespace Cache.Server.Security;

/// <summary>Why a user may not execute a request; if several reasons apply, the later one counts.</summary>
internal enum AclDenial
{
    None,
    Command,
    Key,
    Channel,
    Authentication,
    Certificate,
}
