namespace Cache.Server.Security;

/// <summary>A rule that cannot be applied, and why, in Redis's words.</summary>
internal sealed record AclRuleError(string Rule, string Problem);
