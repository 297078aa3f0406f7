using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>The arguments from one on that are names and values in turn, as in HSET key field value.</summary>
internal readonly ref struct RequestPairs(in RespRequest request, int first = 2) : IEntrySource
{
    private readonly RespRequest _request = request;

    public int Count => (_request.Count - first) / 2;

    public ReadOnlySpan<byte> GetKey(int index) => _request[index * 2 + first];

    public ReadOnlySpan<byte> GetValue(int index) => _request[index * 2 + first + 1];
}
