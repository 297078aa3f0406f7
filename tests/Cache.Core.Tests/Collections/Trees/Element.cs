using System.Security.Cryptography;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>An element of the model: what the tree is to have.</summary>
internal sealed record Element(ulong Key, byte[] Name, byte[] Value, bool IsNameStub = false, bool IsValueStub = false)
    : IComparable<Element>
{
    public TreeEntry Entry => new(StoredName, Value, IsNameStub, IsValueStub);

    /// <summary>The name as a page has it: of a stub with what it stands for behind it.</summary>
    public byte[] StoredName => IsNameStub ? [.. Name, 0, .. NameStubBytes] : Name;

    public byte[] NameStubBytes => SHA256.HashData(Name)[..ElementStub.Size];

    public int CompareTo(Element? other) => other is null ? 1
        : Key != other.Key ? Key.CompareTo(other.Key) : Name.AsSpan().SequenceCompareTo(other.Name);

    public void AssertIs(in TreeEntry entry)
    {
        Assert.True(entry.Name.SequenceEqual(StoredName), "The name is another one.");
        Assert.True(entry.Value.SequenceEqual(Value), "The value is another one.");
        Assert.Equal((IsNameStub, IsValueStub), (entry.IsNameStub, entry.IsValueStub));
    }
}
