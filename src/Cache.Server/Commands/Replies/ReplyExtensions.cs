using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>The replies that many commands share.</summary>
internal static class ReplyExtensions
{
    extension(RespReplyWriter reply)
    {
        public void Ok() => reply.Literal("+OK\r\n"u8);

        public void ZeroOrOne(bool one) => reply.Literal(one ? ":1\r\n"u8 : ":0\r\n"u8);

        /// <summary>ERR invalid expire time in 'name' command</summary>
        public void InvalidExpireTime(ReadOnlySpan<byte> name) =>
            reply.Error([.. "ERR invalid expire time in '"u8, .. name, .. "' command"u8]);

        /// <summary>
        /// ERR wrong number of arguments for 'name' command, for cases that the arity does not cover.
        /// </summary>
        public void WrongArgumentCount(ReadOnlySpan<byte> name) =>
            reply.Error([.. "ERR wrong number of arguments for '"u8, .. name, .. "' command"u8]);

        /// <summary>
        /// ERR unknown subcommand or wrong number of arguments, for cases that the arity does not cover.
        /// </summary>
        public void UnknownSubcommand(ReadOnlySpan<byte> name, ReadOnlySpan<byte> container)
        {
            int end = name.IndexOf((byte)0);
            reply.Error(
                [
                    .. "ERR unknown subcommand or wrong number of arguments for '"u8, .. end < 0 ? name : name[..end],
                    .. "'. Try "u8, .. container, .. " HELP."u8,
                ]);
        }

        /// <summary>Replies with an error if a key that must be a string is of another kind.</summary>
        /// <returns>Whether it is of another kind.</returns>
        public bool RefusesKind(EntryKind kind)
        {
            bool isOther = kind is not (EntryKind.None or EntryKind.String);
            if (isOther)
                reply.Error(ErrorTexts.WrongType);
            return isOther;
        }

        /// <summary>The error of a write that the store refused.</summary>
        public void Refusal(WriteStatus status) => reply.Error(status switch
        {
            WriteStatus.NotAnInteger => ErrorTexts.NotAnInteger,
            WriteStatus.Overflow => "ERR increment or decrement would overflow"u8,
            WriteStatus.WrongType => ErrorTexts.WrongType,
            WriteStatus.OutOfMemory => ErrorTexts.OutOfMemory,
            WriteStatus.CollectionTooLong => ErrorTexts.CollectionTooLong,
            WriteStatus.ValueTooLong => ErrorTexts.StringTooLong,
            WriteStatus.KeyTooLong => "ERR key exceeds maximum allowed size (65535 bytes)"u8,
            _ => throw new ArgumentOutOfRangeException(nameof(status), status, "Not a refusal."),
        });
    }
}
