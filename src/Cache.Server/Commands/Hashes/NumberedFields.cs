using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>Fields behind a word and their number, to the end: FIELDS numfields field [field ...].</summary>
internal static class NumberedFields
{
    public static ReadOnlySpan<byte> NotPositive => "ERR Number of fields must be a positive integer"u8;

    /// <param name="request">The request.</param>
    /// <param name="at">The index of the word.</param>
    /// <param name="notPositive">The error of a number that is none.</param>
    /// <param name="fields">The fields.</param>
    /// <param name="error">Why there are none; else empty.</param>
    public static bool TryParse(
        scoped in RespRequest request, int at, ReadOnlySpan<byte> notPositive, out RequestSlice fields,
        out ReadOnlySpan<byte> error)
    {
        fields = default;
        error = default;
        if (at >= request.Count || !request[at].Is("FIELDS"u8))
            error = "ERR Mandatory argument FIELDS is missing or not at the right position"u8;
        else if (at + 1 >= request.Count || !RespInteger.TryParse(request[at + 1], out long count) || count < 1)
            error = notPositive;
        else if (count != request.Count - at - 2)
            error = "ERR The `numfields` parameter must match the number of arguments"u8;
        else
            fields = new RequestSlice(request, at + 2, (int)count);
        return error.IsEmpty;
    }

    extension(CommandContext context)
    {
        /// <summary>Replies with an error of the arguments; with that of the key's kind, if that is another.</summary>
        /// <remarks>Redis looks at the key first.</remarks>
        public void Refuse(ReadOnlySpan<byte> key, ReadOnlySpan<byte> error)
        {
            bool isOther = context.Store.TryPeekInfo(key, out var info) && info.Kind != EntryKind.Hash;
            context.Reply.Error(isOther ? ErrorTexts.WrongType : error);
        }
    }
}
