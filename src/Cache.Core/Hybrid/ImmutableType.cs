using System.ComponentModel;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Cache.Core.Hybrid;

/// <summary>Whether objects of a type never change, so that one may be given to all callers.</summary>
internal static class ImmutableType<T>
{
    /// <summary>
    /// Strings, values without references, and sealed types that say so with <see cref="ImmutableObjectAttribute"/>.
    /// </summary>
    public static readonly bool IsImmutable = Find();

    private static bool Find()
    {
        if (typeof(T) == typeof(string) || !RuntimeHelpers.IsReferenceOrContainsReferences<T>())
            return true;
        // A type derived from an unsealed one could be mutable.
        return (typeof(T).IsValueType || typeof(T).IsSealed)
            && typeof(T).GetCustomAttribute<ImmutableObjectAttribute>(inherit: false) is { Immutable: true };
    }
}
