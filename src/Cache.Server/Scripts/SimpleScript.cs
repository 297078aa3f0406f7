namespace Cache.Server.Scripts;

/// <summary>A script that needs not be alone. Immutable.</summary>
internal sealed class SimpleScript(ScriptDigest digest, byte[] text, IScriptPlan plan) : SimpleCode(plan)
{
    public ScriptDigest Digest => digest;

    public byte[] Text => text;
}
