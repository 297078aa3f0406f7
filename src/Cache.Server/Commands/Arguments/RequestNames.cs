using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>The arguments behind the key that are all names, as in HDEL key field field.</summary>
internal readonly ref struct RequestNames(in RespRequest request) : IKeySource
{
    private const int First = 2;

    private readonly RespRequest _request = request;

    public int Count => _request.Count - First;

    public ReadOnlySpan<byte> GetKey(int index) => _request[index + First];
}
