namespace Cache.Core.Collections.Objects;

/// <summary>A read of a large collection; a struct type argument, so that the call is no interface call.</summary>
internal interface IObjectQuery
{
    /// <summary>
    /// Finds what is asked for. The trees may be torn, which throws nothing, and then it is called again; so what it
    /// found before means nothing, and no caller is told yet. A step: it visits a bounded number of elements.
    /// </summary>
    void Read(in ObjectView view);

    /// <summary>
    /// Copies what was found, once it is known to belong together: lengths can be trusted, bytes may be torn. It may be
    /// called again, behind another read.
    /// </summary>
    void Copy(in ObjectView view);
}
