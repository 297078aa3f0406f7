using System.Text;
using Cache.Durability.Catalog;
using Cache.Durability.Tests.Files;
using Cache.Testing;

namespace Cache.Durability.Tests.Catalog;

public sealed class ManifestTests
{
    private static readonly Manifest s_first = new() { StoreId = 0xABC };

    private static readonly Manifest s_second = new()
    {
        StoreId = 0xABC,
        State = ManifestState.Clean,
        Base = "base-000007.snap",
        FromSequence = 12,
        FromLsn = 77,
        Journals = ["jrnl-000001.cj", "jrnl-000002.cj"],
        EndSequence = 99,
    };

    private readonly FaultyDirectory _directory = new();

    [Fact]
    public void Text_IsReadableAndReadBack()
    {
        byte[] text = ManifestText.Format(s_second);
        Assert.StartsWith(
            "cache-durability 1\nstore 0000000000000abc\nstate clean\nbase base-000007.snap\nfrom 12\nlsn 77\n"
            + "journal jrnl-000001.cj\njournal jrnl-000002.cj\nend 99\ncrc ", Encoding.UTF8.GetString(text),
            StringComparison.Ordinal);
        Assert.True(ManifestText.TryParse(text, out var read, out _));
        AssertSame(s_second, read);
    }

    [Fact]
    public void Text_AnyFlippedByteOrTruncation_IsRefused()
    {
        byte[] text = ManifestText.Format(s_second);
        for (int i = 0; i < text.Length; i++)
        {
            foreach (int mask in (int[])[0x01, 0x80, 0xFF])
            {
                text[i] ^= (byte)mask;
                Assert.False(ManifestText.TryParse(text, out _, out _));
                text[i] ^= (byte)mask;
            }

            Assert.False(ManifestText.TryParse(text.AsSpan(0, i), out _, out _));
        }
    }

    [Theory]
    [InlineData("../secret")]
    [InlineData("jrnl-000001.cj.bad")]
    [InlineData("MANIFEST")]
    public void Text_NameThatIsNoFileOfOurs_IsRefused(string name)
    {
        byte[] text = ManifestText.Format(s_first with { Journals = [name] });
        Assert.False(ManifestText.TryParse(text, out _, out string problem));
        Assert.Contains(name, problem, StringComparison.Ordinal);
    }

    [Fact]
    public void Publish_IsReadBack()
    {
        ManifestFile.Publish(_directory, s_first);
        ManifestFile.Publish(_directory, s_second);
        AssertSame(s_second, ManifestFile.Read(_directory)!);
    }

    [Fact]
    public void Read_EmptyDirectory_IsNone() => Assert.Null(ManifestFile.Read(_directory));

    [Fact]
    public void Read_JournalWithoutManifest_IsRefused()
    {
        _directory.Create("jrnl-000001.cj", 0).Dispose();
        Assert.Throws<RefusedDirectoryException>(() => ManifestFile.Read(_directory));
    }

    [Theory]
    [InlineData((int)ManifestState.Suspended)]
    [InlineData((int)ManifestState.Refused)]
    public void Suspend_FullDisk_SaysSo(int number)
    {
        var state = (ManifestState)number;
        ManifestFile.Publish(_directory, s_second);
        _directory.Capacity = 0;
        ManifestFile.Suspend(_directory, state);
        Assert.Equal(state, ManifestFile.Read(_directory)!.State);
        Assert.Equal(s_second.Journals, ManifestFile.Read(_directory)!.Journals);
    }

    // The disk is full once the new manifest is there, or ill in between: it must be possible to say so.
    [Fact]
    public void Publish_FailsAnywhere_CanBeSuspended() => AssertCanBeSuspendedWhereverItFails(static _ =>
    {
    });

    [Fact]
    public void Change_EndOfASuspensionFailsAnywhere_CanBeSuspendedAgain() =>
        AssertCanBeSuspendedWhereverItFails(static catalog =>
        {
            Assert.True(catalog.TrySuspend(ManifestState.Suspended));
            catalog.Change(static manifest => manifest); // A journal is added: still suspended.
        });

    // Writes go on: whatever of the change is on the disk, a start must know that something is missing.
    [Fact]
    public void TrySuspend_EndOfASuspensionFailsAnywhere_SaysSo()
    {
        for (int failure = 0; failure < 30; failure++)
        {
            var directory = new FaultyDirectory();
            var catalog = new StoreCatalog(directory, s_first);
            catalog.Change(static manifest => manifest);
            Assert.True(catalog.TrySuspend(ManifestState.Suspended));
            directory.FailAt = directory.Operations + failure;
            if (TryPublish(() => catalog.Change(static _ => s_second)))
                return;
            catalog.TrySuspend(ManifestState.Suspended);
            Assert.Equal(ManifestState.Suspended, ManifestFile.Read(directory)!.State);
        }

        Assert.Fail("No change was published.");
    }

    // Where writes go on although they were refused: what happens first must not decide.
    [Fact]
    public void TrySuspend_Refused_LeavesWhatIsSuspended()
    {
        var catalog = new StoreCatalog(_directory, s_first);
        catalog.Change(static manifest => manifest);
        Assert.True(catalog.TrySuspend(ManifestState.Suspended));
        Assert.True(catalog.TrySuspend(ManifestState.Refused));
        Assert.Equal(ManifestState.Suspended, catalog.Manifest.State);
        Assert.Equal(ManifestState.Suspended, ManifestFile.Read(_directory)!.State);
    }

    // The change may be on the disk, or not: nothing that either names may be deleted before that is decided.
    [Fact]
    public void TrySuspend_AfterAChangeThatFailed_IsUncertainStill()
    {
        var catalog = new StoreCatalog(_directory, s_first);
        catalog.Change(static manifest => manifest);
        _directory.Fail(Operation.SyncDirectory, times: 1);
        Assert.False(TryPublish(() => catalog.Change(static _ => s_second)));
        Assert.True(catalog.TrySuspend(ManifestState.Refused));
        Assert.True(catalog.IsUncertain);
        catalog.Change(static manifest => manifest);
        Assert.False(catalog.IsUncertain);
    }

    [Fact]
    public void Publish_PowerLostAnywhere_LeavesTheOldOneOrTheNewOne() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int crash = 0; crash < 20; crash++)
        {
            for (int round = 0; round < 20; round++)
            {
                var directory = new FaultyDirectory();
                ManifestFile.Publish(directory, s_first);
                directory.CrashAt = directory.Operations + crash;
                bool isPublished = TryPublish(() => ManifestFile.Publish(directory, s_second));
                var read = ManifestFile.Read(directory.AfterPowerLoss(random));
                Assert.NotNull(read);
                AssertSame(isPublished || read.Base != null ? s_second : s_first, read);
            }
        }
    });

    private static void AssertCanBeSuspendedWhereverItFails(Action<StoreCatalog> prepare)
    {
        for (int crash = 0; crash < 30; crash++)
        {
            var directory = new FaultyDirectory();
            var catalog = new StoreCatalog(directory, s_first);
            catalog.Change(static manifest => manifest);
            prepare(catalog);
            directory.CrashAt = directory.Operations + crash;
            bool isPublished = TryPublish(() => catalog.Change(static _ => s_second));
            directory.Heal();
            Assert.True(catalog.TrySuspend(ManifestState.Refused));
            Assert.Equal(catalog.Manifest.State, ManifestFile.Read(directory)!.State);
            Assert.True(catalog.TrySuspend(ManifestState.Suspended));
            Assert.Equal(ManifestState.Suspended, ManifestFile.Read(directory)!.State);
            if (isPublished)
                return;
        }

        Assert.Fail("No change was published.");
    }

    private static bool TryPublish(Action publish)
    {
        try
        {
            publish();
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    private static void AssertSame(Manifest expected, Manifest actual)
    {
        Assert.Equal(expected.Journals, actual.Journals);
        Assert.Equal(expected with { Journals = [] }, actual with { Journals = [] });
    }
}
