namespace Cache.Core.Collections;

/// <summary>Members without values, where elements are asked for.</summary>
internal ref struct MemberSource<TMembers>(TMembers members) : IEntrySource
    where TMembers : struct, IKeySource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TMembers Members = members;

    public int Count => Members.Count;

    public ReadOnlySpan<byte> GetKey(int index) => Members.GetKey(index);

    public readonly ReadOnlySpan<byte> GetValue(int index) => default;
}
