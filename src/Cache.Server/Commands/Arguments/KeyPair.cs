using Cache.Core;

namespace Cache.Server.Commands.Arguments;

/// <summary>Two keys.</summary>
internal readonly ref struct KeyPair(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second) : IKeySource
{
    private readonly ReadOnlySpan<byte> _first = first;
    private readonly ReadOnlySpan<byte> _second = second;

    public int Count => 2;

    public ReadOnlySpan<byte> GetKey(int index) => index == 0 ? _first : _second;
}
