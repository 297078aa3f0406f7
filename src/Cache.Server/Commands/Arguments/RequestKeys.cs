using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>The arguments of a request that are all keys, as in MGET key key.</summary>
internal readonly ref struct RequestKeys(in RespRequest request) : IKeySource
{
    private readonly RespRequest _request = request;

    public int Count => _request.Count - 1;

    public ReadOnlySpan<byte> GetKey(int index) => _request[index + 1];
}
