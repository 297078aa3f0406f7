using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>The arguments of a request that are keys and values in turn, as in MSET key value key value.</summary>
internal readonly ref struct RequestEntries(in RespRequest request) : IEntrySource
{
    private readonly RespRequest _request = request;

    public int Count => (_request.Count - 1) / 2;

    public ReadOnlySpan<byte> GetKey(int index) => _request[index * 2 + 1];

    public ReadOnlySpan<byte> GetValue(int index) => _request[index * 2 + 2];
}
