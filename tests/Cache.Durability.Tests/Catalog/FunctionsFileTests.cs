using Cache.Durability.Catalog;
using Cache.Durability.Tests.Files;

namespace Cache.Durability.Tests.Catalog;

/// <summary>The file of the functions on a disk that fails: what is told is what the next process finds.</summary>
public sealed class FunctionsFileTests
{
    private static readonly byte[] _before = [1];
    private static readonly byte[] _after = [2, 3];

    private readonly FaultyDirectory _directory = new();

    public FunctionsFileTests() => Assert.True(FunctionsFile.Write(_directory, _before));

    [Fact]
    public void Write_FolderThatIsNotSynced_TellsThatItIsChanged()
    {
        _directory.Fail(Operation.SyncDirectory);

        Assert.False(FunctionsFile.Write(_directory, _after));
        Assert.Equal(_after, FunctionsFile.Read(_directory));
    }

    [Theory]
    [InlineData(nameof(Operation.Create))]
    [InlineData(nameof(Operation.Write))]
    [InlineData(nameof(Operation.Sync))]
    [InlineData(nameof(Operation.Rename))]
    public void Write_FailsBeforeIt_ThrowsAndChangesNothing(string operation)
    {
        _directory.Fail(Enum.Parse<Operation>(operation));

        Assert.ThrowsAny<IOException>(() => FunctionsFile.Write(_directory, _after));
        Assert.Equal(_before, FunctionsFile.Read(_directory));
    }
}
