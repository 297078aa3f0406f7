namespace Cache.Core.Collections;

/// <summary>A single name where several are asked for.</summary>
internal readonly ref struct OneName(ReadOnlySpan<byte> name) : IKeySource
{
    private readonly ReadOnlySpan<byte> _name = name;

    public int Count => 1;

    public ReadOnlySpan<byte> GetKey(int index) => _name;
}
