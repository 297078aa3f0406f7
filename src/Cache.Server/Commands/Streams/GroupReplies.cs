using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Notifications;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>What the commands of groups reply where there is none, and tell where they make a consumer.</summary>
internal static class GroupReplies
{
    /// <summary>NOGROUP No such key 'key' or consumer group 'group'</summary>
    public static void NoKeyOrGroup(this RespReplyWriter reply, ReadOnlySpan<byte> key, ReadOnlySpan<byte> group) =>
        reply.Error(
        [
            .. "NOGROUP No such key '"u8, .. key.UpToNul(), .. "' or consumer group '"u8, .. group.UpToNul(), .. "'"u8,
        ]);

    /// <summary>NOGROUP No such consumer group 'group' for key name 'key'</summary>
    public static void NoGroupOfKey(this RespReplyWriter reply, ReadOnlySpan<byte> key, ReadOnlySpan<byte> group) =>
        reply.Error(
        [
            .. "NOGROUP No such consumer group '"u8, .. group.UpToNul(), .. "' for key name '"u8, .. key.UpToNul(),
            .. "'"u8,
        ]);

    /// <summary>The error of a write that names a group which is to be there.</summary>
    public static void GroupRefusal(
        this RespReplyWriter reply, WriteStatus status, ReadOnlySpan<byte> key, ReadOnlySpan<byte> group)
    {
        if (status is WriteStatus.NotFound or WriteStatus.ConditionNotMet)
            reply.NoKeyOrGroup(key, group);
        else
            reply.Refusal(status);
    }

    /// <summary>Tells that a consumer was made, which is no change of its own.</summary>
    public static void TellConsumer(in StreamGroupOutcome outcome, ReadOnlySpan<byte> key, CommandContext context)
    {
        if (outcome.MadeConsumer)
            context.Server.Notifications.Tell(context.Store.Keyspace, KeyEvent.ConsumerMade, key);
    }
}
