using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>The first keys of a request, up to one that is of another kind.</summary>
internal readonly ref struct HllKeys : IKeySource
{
    private readonly RespRequest _request;

    private HllKeys(in RespRequest request, int count)
    {
        _request = request;
        Count = count;
    }

    public int Count { get; }

    /// <summary>Whether a key was left out since it can be none.</summary>
    public bool IsCut => Count < _request.Count - 1;

    public ReadOnlySpan<byte> GetKey(int index) => _request[index + 1];

    public static HllKeys Of(in RespRequest request, CommandContext context, out HllFault fault)
    {
        fault = HllFault.None;
        for (int i = 1; i < request.Count; i++)
        {
            context.Store.TryPeekInfo(request[i], out var info);
            if (info.Kind is not (EntryKind.None or EntryKind.String))
                fault = HllFault.OtherKind;
            else if (info.Length > HllFormat.LengthMax)
                fault = HllFault.OtherString;
            if (fault != HllFault.None)
                return new HllKeys(request, i - 1);
        }

        return new HllKeys(request, request.Count - 1);
    }
}
