using System.Globalization;
using System.Text;
using Cache.Durability.Catalog;
using Cache.Durability.Files;
using Cache.Durability.Format;
using Cache.Durability.Journaling;
using Cache.Durability.Recovery;
using Cache.Durability.Staging;
using Cache.Durability.Tests.Files;

namespace Cache.Durability.Tests.Journaling;

public sealed class JournalThreadsTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();
    private readonly SystemDirectory _directory;

    public JournalThreadsTests() => _directory = new SystemDirectory(_folder.Path);

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Always_WhatWasAcknowledged_IsInTheFilesAtOnce()
    {
        const int Writers = 4;
        const int Records = 200;
        using var journal = Open(SyncPolicy.Always);
        using (var threads = new JournalThreads(journal, SyncPolicy.Always))
        {
            await Task.WhenAll(Enumerable.Range(0, Writers).Select(writer => Task.Run(async () =>
            {
                for (int i = 0; i < Records; i++)
                    await journal.WaitAsync(Record(journal, threads, writer * Records + i));
            })));
            Assert.Equal(Enumerable.Range(0, Writers * Records), ReadKeys().Order());
        }

        journal.Close();
    }

    [Theory]
    [InlineData(SyncPolicy.EverySecond)]
    [InlineData(SyncPolicy.No)]
    public async Task Record_NobodyWaitsFor_IsWrittenSoon(object policy)
    {
        using var journal = Open((SyncPolicy)policy);
        using (var threads = new JournalThreads(journal, (SyncPolicy)policy))
        {
            for (int i = 0; i < 3; i++)
            {
                Record(journal, threads, i);
                while (ReadKeys().Count <= i)
                    await Task.Yield();
            }
        }

        journal.Close();
        Assert.Equal(ManifestState.Clean, ManifestFile.Read(_directory)!.State);
    }

    [Fact]
    public void Filled_FasterThanTheDisk_EveryRecordIsThere()
    {
        const int Records = 100_000;
        using var journal = Open(SyncPolicy.EverySecond);
        using (var threads = new JournalThreads(journal, SyncPolicy.EverySecond))
        {
            var writers = Enumerable.Range(0, 2).Select(writer => new Thread(() =>
            {
                for (int i = writer; i < Records; i += 2)
                    Record(journal, threads, i);
            })).ToList();
            writers.ForEach(static writer => writer.Start());
            writers.ForEach(static writer => writer.Join());
        }

        journal.Close();
        Assert.Equal(Enumerable.Range(0, Records), ReadKeys().Order());
    }

    private Journal Open(SyncPolicy policy) => JournalStart.Open(
        _directory, new NoTarget(), RecoveryMode.Strict,
        new JournalOptions { FileBytes = 4 << 20, Chunks = 4, Sync = policy }, out _);

    private static ulong Record(Journal journal, JournalThreads threads, int number)
    {
        byte[] key = Encoding.ASCII.GetBytes(number.ToString(CultureInfo.InvariantCulture));
        int size = RecordLayout.SizeOf(RecordKind.Remove, RecordFlags.None, key.Length, 0);
        StagedPlace place;
        while (!journal.Staging.TryReserve(size, out place))
            journal.Staging.WaitForRoom(size);
        RecordLayout.Write(place.Bytes, new RecordFields { Kind = RecordKind.Remove }, key, default, 0);
        place.Fill();
        threads.Filled(place);
        return place.EndLsn;
    }

    // As another process would, while this one writes.
    private List<int> ReadKeys()
    {
        List<int> keys = [];
        using var reader = new JournalReader(_directory, ManifestFile.Read(_directory)!, skipsDamage: false);
        while (reader.TryRead(out _, out var payload))
        {
            var records = new RecordReader(payload);
            while (records.TryRead(out var record))
                keys.Add(int.Parse(record.Key, CultureInfo.InvariantCulture));
        }

        return keys;
    }

    private sealed class NoTarget : IBlockTarget
    {
        public void NoteGap()
        {
        }

        public void Apply(string file, long offset, in BlockHeader header, ReadOnlySpan<byte> payload)
        {
        }
    }
}
