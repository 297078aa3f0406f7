using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>The arguments behind the key that are names and values in turn, as in HSET key field value.</summary>
internal readonly ref struct RequestPairs(in RespRequest request) : IEntrySource
{
    private const int First = 2;

    private readonly RespRequest _request = request;

    public int Count => (_request.Count - First) / 2;

    public ReadOnlySpan<byte> GetKey(int index) => _request[index * 2 + First];

    public ReadOnlySpan<byte> GetValue(int index) => _request[index * 2 + First + 1];
}
