using System.Text;
using Cache.Core;

namespace Cache.Tool.Tests;

/// <summary>Streams with groups, of a dump of redis-server 7.0.15, and into one.</summary>
public sealed class ConvertStreamTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly FakeTimeProvider _time = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Convert_StreamsOfRedis_ThereAndBack_AreTheSame()
    {
        File.WriteAllBytes(_folder.Of("a.rdb"), DumpFile.Recorded("streams.rdb"));
        ToolRun.At(_time, "convert", _folder.Of("a.rdb"), _folder.Of("store")).AssertTells("has 3 entries.");
        ToolRun.At(_time, "verify", _folder.Of("store")).AssertTells("whole: ");
        string[] first = Texts("store");

        ToolRun.At(_time, "convert", _folder.Of("store"), _folder.Of("b.rdb")).AssertTells("has 3 entries.");
        ToolRun.At(_time, "convert", _folder.Of("b.rdb"), _folder.Of("again")).AssertTells("has 3 entries.");

        Assert.Equal(first, Texts("again"));
        // What XINFO said of them.
        Assert.Contains("Length = 240, Added = 250, ", first[0], StringComparison.Ordinal);
        Assert.Contains("carol: StreamPendingInfo { Id = 1020-2, ", first[0], StringComparison.Ordinal);
        Assert.Contains("Deliveries = 9 }", first[0], StringComparison.Ordinal);
        Assert.Contains("18446744073709551615-18446744073709551615 =\n", first[1], StringComparison.Ordinal);
        Assert.Contains("nobody: StreamConsumerInfo", first[2], StringComparison.Ordinal);
    }

    private string[] Texts(string folder)
    {
        using var store = StoreFiles.Create(_time);
        using var durable = StoreFiles.Open(_folder.Of(folder), store);
        return [TextOf(store, "long"u8), TextOf(store, "wide"u8), TextOf(store, "empty"u8)];
    }

    private static string TextOf(CacheStore store, ReadOnlySpan<byte> key)
    {
        using var snapshot = store.Stream(key).TakeSnapshot(out var status);
        Assert.Equal(ReadStatus.Found, status);
        var text = new StringBuilder($"{snapshot.Info with { PageBytes = 0, Blocks = 0, Elements = 0 }}\n");
        var sink = new EntrySink(text);
        snapshot.GetRange(StreamId.Zero, StreamId.Max, long.MaxValue, isReversed: false, ref sink);
        for (var groups = snapshot.GetGroups(); groups.MoveNext();)
        {
            text.Append($"{Encoding.UTF8.GetString(groups.Name)}: {groups.Current}\n");
            for (var consumers = snapshot.GetConsumers(groups.Name); consumers.MoveNext();)
                text.Append($"{Encoding.UTF8.GetString(consumers.Name)}: {consumers.Current}\n");
            for (var pending = snapshot.GetPending(groups.Name, StreamId.Zero); pending.MoveNext();)
                text.Append($"{Encoding.UTF8.GetString(pending.Consumer)}: {pending.Current}\n");
        }

        return text.ToString();
    }

    private readonly struct EntrySink(StringBuilder text) : IStreamSink
    {
        public bool IsFull => false;

        public void Begin(long count) => text.Append($"{count} entries\n");

        public void Take(StreamId id, scoped StreamFields fields)
        {
            text.Append(id.ToString());
            while (fields.MoveNext())
                text.Append($" {Encoding.UTF8.GetString(fields.Field)}={Encoding.UTF8.GetString(fields.Value)}");
            text.Append('\n');
        }
    }
}
