namespace Cache.Core.Hybrid;

/// <summary>How a payload is to be read, where that does not follow from the type that is asked for.</summary>
[Flags]
internal enum ValueFlags : byte
{
    None = 0,

    /// <summary>The value is null; the payload is empty.</summary>
    Null = 1,

    /// <summary>A string that has no UTF-8 form, because of an unpaired surrogate: its UTF-16 units.</summary>
    Utf16 = 2,
}
