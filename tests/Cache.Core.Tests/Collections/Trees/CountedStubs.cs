using Cache.Core.Layout;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>Counts the references of stubs, whose bytes are names of what they stand for.</summary>
internal sealed class CountedStubs : StubOwner
{
    /// <summary>What each counts; no multiple of a page.</summary>
    public const int Size = 1_001;

    private readonly Dictionary<string, int> _references = [];

    /// <summary>Those that were released for the last time, in order.</summary>
    public List<string> Released { get; } = [];

    /// <summary>The references that are left of each.</summary>
    public IReadOnlyDictionary<string, int> References => _references;

    /// <summary>Takes the references of an element that a tree gets.</summary>
    public void Take(Element element)
    {
        if (element.IsNameStub)
            AddReference(element.NameStubBytes);
        if (element.IsValueStub)
            AddReference(element.Value);
    }

    /// <summary>Takes them back: the tree has not changed.</summary>
    public void TakeBack(Element element)
    {
        if (element.IsNameStub)
            Release(element.NameStubBytes);
        if (element.IsValueStub)
            Release(element.Value);
    }

    public override void AddReference(ReadOnlySpan<byte> stub)
    {
        string name = Convert.ToHexString(stub);
        _references[name] = _references.GetValueOrDefault(name) + 1;
    }

    public override void Release(ReadOnlySpan<byte> stub)
    {
        string name = Convert.ToHexString(stub);
        Assert.True(_references.TryGetValue(name, out int count) && count > 0, "A stub is released once too often.");
        _references.Remove(name);
        if (count > 1)
            _references.Add(name, count - 1);
        else
            Released.Add(name);
    }

    public override long SizeOf(ReadOnlySpan<byte> stub) => Size;
}
