using Cache.Core.Collections.Objects;

namespace Cache.Core.Collections.Lists;

/// <summary>Elements of a whole list as changes that add them at the right end.</summary>
/// <remarks>firstName: That of the first change (<see cref="ListChange"/>).</remarks>
internal ref struct ListSource<TElements>(TElements elements, ReadOnlySpan<byte> firstName) : IEntrySource
    where TElements : struct, IKeySource, allows ref struct
{
    private readonly ReadOnlySpan<byte> _firstName = firstName;

    /// <summary>The caller's source.</summary>
    public TElements Elements = elements;

    public readonly int Count => Elements.Count;

    public readonly ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _firstName : default;

    public ReadOnlySpan<byte> GetValue(int index) => Elements.GetKey(index);
}
