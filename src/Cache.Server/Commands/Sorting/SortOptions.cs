using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Sorting;

/// <summary>The options of SORT: they may come in any order, and more than once; the last one counts.</summary>
internal ref struct SortOptions
{
    private const int First = 2;

    public bool IsDescending { get; private set; }

    public bool IsAlphabetical { get; private set; }

    /// <summary>The index of the first element that is replied.</summary>
    public long Start { get; private set; }

    /// <summary>The most that are replied; negative: all.</summary>
    public long Count { get; private set; }

    /// <summary>Whether the key behind STORE gets the result.</summary>
    public bool Stores { get; private set; }

    public ReadOnlySpan<byte> Destination { get; private set; }

    public bool HasWeights { get; private set; }

    public ReadOnlySpan<byte> Weights { get; private set; }

    /// <summary>Whether any pattern behind BY was without a place for the element, as in BY nosort.</summary>
    public bool IsUnsorted { get; private set; }

    /// <summary>The number of patterns behind GET.</summary>
    public int Gets { get; private set; }

    /// <summary>Reads the options, or replies with an error.</summary>
    /// <param name="request">The request.</param>
    /// <param name="mayStore">Whether STORE is one of them.</param>
    /// <param name="readsAnyKey">Whether the user may read any key, which BY and GET need.</param>
    /// <param name="isInCluster">Whether the keys that BY and GET name may be on other servers.</param>
    /// <param name="reply">The reply.</param>
    /// <param name="options">The options.</param>
    public static bool TryParse(
        in RespRequest request, bool mayStore, bool readsAnyKey, bool isInCluster, RespReplyWriter reply,
        out SortOptions options)
    {
        options = new SortOptions { Count = -1 };
        for (int i = First; i < request.Count; i++)
        {
            int arguments = options.Take(request, i, mayStore);
            bool isPattern = arguments == 1 && (request[i].Is("GET"u8) || request[i].Is("BY"u8));
            bool isRead = arguments != NotRead;
            if (arguments == 2)
                isRead = options.TryTakeLimit(request[i + 1], request[i + 2], reply);
            else if (arguments == NotRead)
                reply.Error(ErrorTexts.Syntax);
            else if (isPattern && isInCluster && !IsHarmless(request[i], request[i + 1]))
                isRead = DenyInCluster(request[i], reply);
            else if (isPattern && !readsAnyKey && !IsHarmless(request[i], request[i + 1]))
                isRead = Deny(request[i], reply);
            if (!isRead)
                return false;
            i += arguments;
        }

        return true;
    }

    /// <summary>The patterns behind GET, in their order.</summary>
    /// <param name="request">The request, whose options were read.</param>
    /// <param name="from">The index of the word to begin with, and then that of the pattern.</param>
    public static bool TryMoveNextGet(in RespRequest request, ref int from)
    {
        for (int i = from + 1; i < request.Count; i++)
        {
            bool hasOne = request[i].Is("BY"u8) || request[i].Is("STORE"u8);
            if (request[i].Is("GET"u8))
            {
                from = i + 1;
                return true;
            }

            i += request[i].Is("LIMIT"u8) ? 2 : hasOne ? 1 : 0;
        }

        return false;
    }

    public const int BeforeFirst = First - 1;

    private const int NotRead = -1;

    /// <returns>The number of arguments of the option, or <see cref="NotRead"/>.</returns>
    private int Take(in RespRequest request, int index, bool mayStore)
    {
        var name = request[index];
        int left = request.Count - index - 1;
        if (name.Is("ASC"u8) || name.Is("DESC"u8))
        {
            IsDescending = name.Is("DESC"u8);
            return 0;
        }

        if (name.Is("ALPHA"u8))
        {
            IsAlphabetical = true;
            return 0;
        }

        if (name.Is("LIMIT"u8) && left >= 2)
            return 2;
        if (mayStore && name.Is("STORE"u8) && left >= 1)
        {
            Stores = true;
            Destination = request[index + 1];
            return 1;
        }

        if (name.Is("BY"u8) && left >= 1)
        {
            HasWeights = true;
            Weights = request[index + 1];
            IsUnsorted |= new SortPattern(Weights).IsConstant;
            return 1;
        }

        if (!name.Is("GET"u8) || left < 1)
            return NotRead;
        Gets++;
        return 1;
    }

    private bool TryTakeLimit(ReadOnlySpan<byte> start, ReadOnlySpan<byte> count, RespReplyWriter reply)
    {
        bool isRead = RespInteger.TryParse(start, out long first) & RespInteger.TryParse(count, out long number);
        if (!isRead)
            reply.Error(ErrorTexts.NotAnInteger);
        (Start, Count) = (first, number);
        return isRead;
    }

    // A constant after BY reads no key.
    private static bool IsHarmless(ReadOnlySpan<byte> option, ReadOnlySpan<byte> pattern) =>
        option.Is("BY"u8) && new SortPattern(pattern).IsConstant;

    private static bool DenyInCluster(ReadOnlySpan<byte> option, RespReplyWriter reply)
    {
        reply.Error(option.Is("BY"u8)
            ? "ERR BY option of SORT denied in Cluster mode."u8
            : "ERR GET option of SORT denied in Cluster mode."u8);
        return false;
    }

    private static bool Deny(ReadOnlySpan<byte> option, RespReplyWriter reply)
    {
        reply.Error(option.Is("BY"u8)
            ? "ERR BY option of SORT denied due to insufficient ACL permissions."u8
            : "ERR GET option of SORT denied due to insufficient ACL permissions."u8);
        return false;
    }
}
