namespace Cache.Server.Security;

/// <summary>A user. Its clients refer to it, so that a change of its rules applies to their next request.</summary>
internal sealed class AclUser(string name, AclRules rules)
{
    private volatile AclRules _rules = rules;

    /// <summary>The name; a char is a byte.</summary>
    public string Name { get; } = name;

    /// <summary>Its passwords and rights: immutable, replaced as a whole.</summary>
    public AclRules Rules
    {
        get => _rules;
        set => _rules = value;
    }
}
