using Cache.Server.Protocol;

namespace Cache.Server.Commands.Arguments;

/// <summary>The options of HSCAN and its like: [MATCH pattern] [COUNT count].</summary>
internal ref struct ScanOptions
{
    private const int CountDefault = 10;

    public ReadOnlySpan<byte> Pattern { get; private set; }

    public long Count { get; private set; }

    /// <summary>What is wrong with the options, if <see cref="TryParse"/> failed.</summary>
    public bool IsCountWrong { get; private set; }

    /// <param name="request">The request.</param>
    /// <param name="first">The index of the first option.</param>
    /// <param name="options">The options.</param>
    public static bool TryParse(in RespRequest request, int first, out ScanOptions options)
    {
        options = new ScanOptions { Pattern = "*"u8, Count = CountDefault };
        for (int i = first; i < request.Count; i += 2)
        {
            bool hasValue = i + 1 < request.Count;
            if (hasValue && request[i].Is("COUNT"u8))
            {
                options.IsCountWrong = !RespInteger.TryParse(request[i + 1], out long count);
                options.Count = count;
                if (options.IsCountWrong || count < 1)
                    return false;
            }
            else if (hasValue && request[i].Is("MATCH"u8))
            {
                options.Pattern = request[i + 1];
            }
            else
            {
                return false;
            }
        }

        return true;
    }
}
