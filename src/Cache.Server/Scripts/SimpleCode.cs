namespace Cache.Server.Scripts;

/// <summary>A script, or a function, that needs not be alone. Immutable.</summary>
/// <param name="plan">How it runs.</param>
internal abstract class SimpleCode(IScriptPlan plan)
{
    public IScriptPlan Plan => plan;
}
