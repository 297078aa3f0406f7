namespace Cache.Client;

/// <summary>As whom a connection is made.</summary>
/// <param name="User">The user; null: the default one.</param>
/// <param name="Password">The password, or a token that stands for one.</param>
public readonly record struct RespCredentials(string? User, string Password)
{
    /// <summary>The user alone: a log is not to have the password.</summary>
    public override string ToString() => User ?? "default";
}
