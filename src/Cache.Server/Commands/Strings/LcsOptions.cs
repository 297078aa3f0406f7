using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Strings;

/// <summary>The options of LCS, in any order.</summary>
internal readonly record struct LcsOptions
{
    /// <summary>LEN.</summary>
    public bool ReturnsLength { get; init; }

    /// <summary>IDX.</summary>
    public bool ReturnsRanges { get; init; }

    /// <summary>WITHMATCHLEN.</summary>
    public bool ReturnsRangeLengths { get; init; }

    /// <summary>MINMATCHLEN.</summary>
    public long RangeLengthMin { get; init; }

    /// <summary>Reads the options, or writes the error as the reply.</summary>
    public static bool TryParse(in RespRequest request, RespReplyWriter reply, out LcsOptions options)
    {
        options = default;
        for (int i = 3; i < request.Count; i++)
        {
            if (request[i].Is("IDX"u8))
            {
                options = options with { ReturnsRanges = true };
            }
            else if (request[i].Is("LEN"u8))
            {
                options = options with { ReturnsLength = true };
            }
            else if (request[i].Is("WITHMATCHLEN"u8))
            {
                options = options with { ReturnsRangeLengths = true };
            }
            else if (request[i].Is("MINMATCHLEN"u8) && i + 1 < request.Count)
            {
                if (!RespInteger.TryParse(request[++i], out long length))
                {
                    reply.Error(ErrorTexts.NotAnInteger);
                    return false;
                }

                options = options with { RangeLengthMin = length };
            }
            else
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }
        }

        return true;
    }
}
