using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>Some arguments of a request that follow each other and are all keys, or all names.</summary>
/// <param name="request">The request.</param>
/// <param name="first">The index of the first of them.</param>
/// <param name="count">Their number.</param>
internal readonly ref struct RequestSlice(scoped in RespRequest request, int first, int count) : IKeySource
{
    private readonly RespRequest _request = request;

    public int Count => count;

    public ReadOnlySpan<byte> GetKey(int index) => _request[index + first];
}
