using System.Text;
using Cache.Core;
using Cache.Durability.Journaling;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Attachment;

/// <summary>Compressed values are kept as they were written: no other store has the dictionaries.</summary>
public sealed class StorePackedTests
{
    private static readonly string[] _keys = ["saved", "copied", "renamed"];

    private readonly FaultyDirectory _directory = new();
    private readonly FakeTimeProvider _clock = new();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Start_AfterCompressedValuesWereSavedOrMoved_HasThemAsTheyWereWritten(bool isSaved)
    {
        byte[] value = Encoding.Latin1.GetBytes(string.Concat(Enumerable.Repeat("some value ", 20)));
        using var rig = Open(_directory);
        rig.Store.UseDictionary(value);
        foreach (string key in _keys)
        {
            rig.Store.Set(Encoding.Latin1.GetBytes(key), value);
            rig.Store.Compress(Encoding.Latin1.GetBytes(key));
        }

        if (isSaved)
            rig.Durable.Save();
        rig.Store.Copy("copied"u8, rig.Store, "copy"u8, SetCondition.Always);
        rig.Store.Rename("renamed"u8, "name"u8, SetCondition.Always);
        rig.Store.Append("saved"u8, "end"u8, out _);
        Assert.Equal((1, 1), (rig.Store.CodecOf("copy"u8), rig.Store.CodecOf("name"u8)));
        rig.Durable.Journal.Write();
        rig.Durable.Journal.Sync();

        using var after = Open(_directory.AfterPowerLoss(new Random(1)));

        StoreRig.AssertSame(rig.Store, after.Store);
        Assert.Equal(4, after.Store.Count);
        Assert.Equal(value, after.Store.GetArray("copy"u8));
    }

    private StoreRig Open(FaultyDirectory directory) =>
        new(directory, _clock, new JournalOptions { FileBytes = 2 << 20, Chunks = 4 }, hasThreads: false);
}
