namespace Cache.Core.Layout;

/// <summary>Whether readers believe what they read without looking at the version again.</summary>
/// <remarks>
/// Never in a store that is used: with CACHE_UNVERSIONED defined, the torture test shows that it would find out.
/// </remarks>
internal static class VersionCheck
{
#if CACHE_UNVERSIONED
    public const bool IsLeftOut = true;
#else
    public const bool IsLeftOut = false;
#endif
}
