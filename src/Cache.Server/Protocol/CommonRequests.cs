using System.Runtime.CompilerServices;

namespace Cache.Server.Protocol;

/// <summary>Holds the common requests that are found at once.</summary>
[InlineArray(CommonRequestReader.CountMax)]
internal struct CommonRequests
{
    private CommonRequest _first;
}
