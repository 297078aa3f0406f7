namespace Cache.Server.Scripts;

/// <summary>A script that needs not be alone. Immutable.</summary>
/// <param name="Digest">Its digest.</param>
/// <param name="Text">Its text.</param>
/// <param name="Plan">How it runs.</param>
internal sealed record SimpleScript(ScriptDigest Digest, byte[] Text, IScriptPlan Plan);
