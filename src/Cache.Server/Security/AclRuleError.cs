namespace Cache.Server.Security;

/// <summary>A rule that cannot be applied, and the reason in Redis's words.</summary>
internal sealed record AclRuleError(string Rule, string Problem);
