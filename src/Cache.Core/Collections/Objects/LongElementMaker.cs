namespace Cache.Core.Collections.Objects;

/// <summary>Puts long values of an edit into blocks, before it is planned again; the caller holds nothing.</summary>
/// <remarks>
/// Where there is no room for one, the caller makes some, and the edit is asked again: others are skipped.
/// </remarks>
internal ref struct LongElementMaker(LongElements owner, ElementChanges changes)
{
    private int _skipped;

    /// <summary>What the block counts for which there was no room; 0: all have one.</summary>
    public long MissingBytes { get; private set; }

    /// <summary>Makes a block if the member of a sorted set is long; its score lies in pages.</summary>
    public void AddMember(scoped ReadOnlySpan<byte> member) => Add(member, default);

    /// <summary>Makes a block if the element is long.</summary>
    public void Add(scoped ReadOnlySpan<byte> name, scoped ReadOnlySpan<byte> value)
    {
        if (MissingBytes != 0 || !ElementSizes.IsLong(name.Length, value.Length, changes.ValueLengthMax))
            return;
        if (_skipped++ < changes.OwnedCount)
            return;
        if (owner.TryCreate(name, value, out var stub))
            changes.Own(stub);
        else
            MissingBytes = owner.BytesFor(ElementReader.PrefixSize + ElementReader.SizeOf(name.Length, value.Length));
    }
}
