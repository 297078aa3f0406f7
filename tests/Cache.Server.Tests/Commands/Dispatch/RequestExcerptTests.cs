using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Tests.Commands.Dispatch;

public sealed class RequestExcerptTests
{
    // The log is written behind the call: the store has the value by then, and another client may have removed it.
    [Fact]
    public void Of_LongValueThatTheStoreHasFreed_HasWhatWasSent()
    {
        const int Length = 200_000;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20, ShardCount = 2 });
        using var sent = CreateValue(store, Length, (byte)'a');
        var argument = new LongArgument(sent, Length);
        var request = new RespRequest(
            "SETk"u8, [new ArgumentRange(0, 3), new ArgumentRange(3, 1), ArgumentRange.Elsewhere(Length)],
            argument.Span);
        Assert.Equal(WriteStatus.Done, store.Set("k"u8, argument.GiveUp(), default));
        store.Remove("k"u8);
        using var other = CreateValue(store, Length, (byte)'b');

        byte[][] excerpt = RequestExcerpt.Of(CommandTable.Default.Set, request, argument);

        Assert.Equal(3, excerpt.Length);
        Assert.Equal(
            new string('a', 128) + "... (199872 more bytes)", System.Text.Encoding.ASCII.GetString(excerpt[2]));
    }

    private static LargeValue CreateValue(CacheStore store, int length, byte filling)
    {
        Assert.True(store.TryCreateValue(length, out var value));
        value.Span.Fill(filling);
        return value;
    }
}
