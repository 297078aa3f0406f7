using System.Text;
using Cache.Core;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Streams are in snapshots as a whole, and in the journal by their elements.</summary>
public sealed class StoreStreamTests
{
    private readonly FakeTimeProvider _clock = new();

    [Fact]
    public void Start_AfterRandomWrites_HasWhatTheStoreHad() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var directory = new FaultyDirectory();
        using var rig = new StoreRig(directory, _clock);
        for (int i = 0; i < 800; i++)
        {
            if (random.Next(150) == 0)
                rig.Durable.Save();
            Write(rig.Store, random, Encoding.UTF8.GetBytes($"stream {random.Next(3)}"));
            rig.Durable.Journal.Write();
        }

        rig.Durable.Journal.Sync();
        using var after = new StoreRig(directory.AfterPowerLoss(random), _clock);
        for (int i = 0; i < 3; i++)
        {
            byte[] key = Encoding.UTF8.GetBytes($"stream {i}");
            Assert.Equal(Text(rig.Store, key), Text(after.Store, key));
        }

        after.Store.Validate();
    });

    // It goes in steps, and each is recorded.
    [Fact]
    public void Start_AfterAGroupOfManyEntriesHasGone_HasNothingOfIt()
    {
        var directory = new FaultyDirectory();
        using var rig = new StoreRig(directory, _clock);
        var options = new StreamGroupOptions { LastDeliveredId = StreamId.Zero, MakesStream = true };
        rig.Store.Stream("s"u8).CreateGroup("g"u8, options, out _);
        for (int i = 0; i < 300; i++)
        {
            rig.Store.Stream("s"u8).Append("f"u8, "v"u8, out _);
            rig.Durable.Journal.Write();
        }

        var sink = new EntrySink(new StringBuilder());
        rig.Store.Stream("s"u8).ReadGroup("g"u8, "c"u8, default, ref sink, out _);
        rig.Durable.Journal.Write();
        Assert.Equal(WriteStatus.Done, rig.Store.Stream("s"u8).RemoveGroup("g"u8, out _));
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = new StoreRig(directory.AfterPowerLoss(new Random(1)), _clock);
        after.Store.Stream("s"u8).GetInfo(out var info);
        Assert.Equal((300, 1), (info.Length, info.Elements - info.Blocks));
        after.Store.Validate();
    }

    private static void Write(CacheStore store, Random random, byte[] key)
    {
        var stream = store.Stream(key);
        stream.GetInfo(out var info);
        if (random.Next(3) == 0)
        {
            WriteGroup(stream, random, info);
            return;
        }

        switch (random.Next(12))
        {
            case 0:
                stream.Trim(new StreamTrim { MaxLength = random.Next(40) }, out _);
                break;
            case 1:
                stream.Remove([info.FirstId, info.LastEntryId], out _);
                break;
            case 2 when random.Next(10) == 0:
                store.Remove(key);
                break;
            default:
                byte[] value = new byte[random.Next(8) == 0 ? random.Next(1_000, 3_000) : random.Next(30)];
                Array.Fill(value, (byte)random.Next('a', 'z'));
                byte[] field = Encoding.UTF8.GetBytes($"f{random.Next(2)}");
                Assert.Equal(WriteStatus.Done, stream.Append(field, value, out _));
                break;
        }
    }

    private static void WriteGroup(StreamKey stream, Random random, in StreamInfo info)
    {
        byte[] group = Encoding.UTF8.GetBytes($"g{random.Next(2)}");
        byte[] consumer = Encoding.UTF8.GetBytes($"c{random.Next(3)}");
        var sink = new EntrySink(new StringBuilder());
        StreamId[] ids = [info.FirstId, info.LastEntryId];
        switch (random.Next(20))
        {
            case < 4:
                stream.CreateGroup(group, new StreamGroupOptions { LastDeliveredId = StreamId.Zero }, out _);
                break;
            case < 10:
                var read = new StreamGroupRead { Count = random.Next(1, 20), IsAcknowledged = random.Next(8) == 0 };
                stream.ReadGroup(group, consumer, read, ref sink, out _);
                break;
            case < 12:
                var again = new StreamGroupRead { Count = 3, After = StreamId.Zero };
                stream.ReadGroup(group, consumer, again, ref sink, out _);
                break;
            case < 15:
                stream.Acknowledge(group, ids, out _);
                break;
            case < 17:
                stream.Claim(group, consumer, new StreamClaim { IsForced = random.Next(2) == 0 }, ids, ref sink, out _);
                break;
            case 17:
                stream.AutoClaim(
                    group, consumer, default, StreamId.Zero, 5, new StreamClaimed(), ref sink, out _);
                break;
            case 18:
                stream.RemoveConsumer(group, consumer, out _, out _);
                break;
            default:
                if (random.Next(4) == 0)
                    stream.RemoveGroup(group, out _);
                else
                    stream.SetGroupId(group, new StreamGroupOptions { EntriesRead = 2 }, out _);
                break;
        }
    }

    private static void AddGroups(CacheStore store, byte[] key, StringBuilder text)
    {
        using var snapshot = store.Stream(key).TakeSnapshot(out var status);
        if (status != ReadStatus.Found)
            return;
        for (var groups = snapshot.GetGroups(); groups.MoveNext();)
        {
            text.Append($"\n{Encoding.UTF8.GetString(groups.Name)} {groups.Current}");
            for (var consumers = snapshot.GetConsumers(groups.Name); consumers.MoveNext();)
                text.Append($"\n  {Encoding.UTF8.GetString(consumers.Name)} {consumers.Current}");
            for (var pending = snapshot.GetPending(groups.Name, StreamId.Zero); pending.MoveNext();)
                text.Append($"\n  {pending.Current} {Encoding.UTF8.GetString(pending.Consumer)}");
        }
    }

    private static string Text(CacheStore store, byte[] key)
    {
        var stream = store.Stream(key);
        var status = stream.GetInfo(out var info);
        info = info with { PageBytes = 0, Elements = 0, Blocks = 0 };
        var sink = new EntrySink(new StringBuilder($"{status} {info}"));
        stream.GetRange(StreamId.Zero, StreamId.Max, long.MaxValue, isReversed: false, ref sink);
        AddGroups(store, key, sink.Text);
        return sink.Text.ToString();
    }

    private readonly struct EntrySink(StringBuilder text) : IStreamSink
    {
        public StringBuilder Text => text;

        public bool IsFull => false;

        public void Begin(long count) => text.Append(count);

        public void Take(StreamId id, scoped StreamFields fields)
        {
            text.Append(id.ToString());
            while (fields.MoveNext())
            {
                text.Append(Encoding.UTF8.GetString(fields.Field)).Append('=');
                text.Append(Encoding.UTF8.GetString(fields.Value));
            }
        }
    }
}
