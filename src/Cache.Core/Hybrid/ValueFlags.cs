namespace Cache.Core.Hybrid;

/// <summary>How to read a payload, beyond its type.</summary>
[Flags]
internal enum ValueFlags : byte
{
    None = 0,

    /// <summary>The value is null; the payload is empty.</summary>
    Null = 1,

    /// <summary>A string that has no UTF-8 form, because of an unpaired surrogate: its UTF-16 units.</summary>
    Utf16 = 2,
}
