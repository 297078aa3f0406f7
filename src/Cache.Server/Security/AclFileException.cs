namespace Cache.Server.Security;

/// <summary>A file of users that cannot be read or written; the message is for the operator.</summary>
internal sealed class AclFileException(string message) : Exception(message);
