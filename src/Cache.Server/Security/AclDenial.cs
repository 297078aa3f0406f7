namespace Cache.Server.Security;

/// <summary>Why a user may not execute a request; a later one is the more relevant where several hold.</summary>
internal enum AclDenial
{
    None,
    Command,
    Key,
    Authentication,
    Certificate,
}
