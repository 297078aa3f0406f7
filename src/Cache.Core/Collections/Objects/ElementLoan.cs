using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>A reference to a long value, for a read that holds nothing else; dispose it.</summary>
internal readonly ref struct ElementLoan(LongElements owner, ElementStub stub)
{
    public ReadOnlySpan<byte> Value => stub.Value;

    public void Dispose() => owner.Return(stub.Block);
}
