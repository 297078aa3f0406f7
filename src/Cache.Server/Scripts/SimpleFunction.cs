namespace Cache.Server.Scripts;

/// <summary>
/// A function that needs not be alone; that of a library that is loaded anew is another one. Immutable.
/// </summary>
/// <remarks>It does not hold its library: an interpreter may still have it when the library is gone.</remarks>
internal sealed class SimpleFunction(FunctionInfo info, FunctionText text, IScriptPlan plan) : SimpleCode(plan)
{
    public FunctionInfo Info => info;

    public FunctionText Text => text;
}
