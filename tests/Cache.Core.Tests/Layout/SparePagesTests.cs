using Cache.Core.Layout;

namespace Cache.Core.Tests.Layout;

public sealed class SparePagesTests : IDisposable
{
    private const int Megabyte = 1 << 20;

    private readonly SparePages _spare = new(4 * Megabyte);

    public void Dispose() => _spare.Dispose();

    [Fact]
    public void Create_AfterARelease_TakesItsPages()
    {
        Release(Create(Megabyte, mark: 17));
        Assert.Equal(LargeBlock.SizeOf(Megabyte), _spare.Bytes);

        var again = Create(Megabyte - 4_000, mark: null);

        Assert.Equal(17, again.Value[1_000]);
        Assert.Equal(0, _spare.Bytes);
        Release(again);
    }

    [Fact]
    public void Create_Shorter_CutsTheRestOff()
    {
        Release(Create(Megabyte, mark: 17));

        var shorter = Create(600_000, mark: null);

        Assert.Equal(17, shorter.Value[1_000]);
        Assert.Equal(0, _spare.Bytes);
        Release(shorter);
        Assert.Equal(LargeBlock.SizeOf(600_000), _spare.Bytes);
    }

    [Theory]
    [InlineData(200_000)]
    [InlineData(2 * Megabyte)]
    public void Create_FarShorterOrLonger_LeavesThem(int length)
    {
        Release(Create(Megabyte, mark: 17));

        var other = Create(length, mark: null);

        Assert.Equal(0, other.Value[1_000]);
        Assert.Equal(LargeBlock.SizeOf(Megabyte), _spare.Bytes);
        Release(other);
    }

    [Fact]
    public void Release_BeyondTheBound_DropsTheOldest()
    {
        var blocks = Enumerable.Range(1, 6).Select(i => Create(Megabyte - 100, mark: (byte)i)).ToArray();
        foreach (var block in blocks)
            Release(block);

        Assert.Equal(4 * Megabyte, _spare.Bytes);
        byte[] marks = [.. Enumerable.Range(0, 4).Select(_ => Create(Megabyte - 100, mark: null).Value[1_000]).Order()];
        Assert.Equal([3, 4, 5, 6], marks);
    }

    [Fact]
    public void Release_OfAnEndlessValue_KeepsNothing()
    {
        Release(Create(5 * Megabyte, mark: 1));

        Assert.Equal(0, _spare.Bytes);
    }

    [Fact]
    public void DropUnasked_KeepsWhatIsInUse()
    {
        Release(Create(Megabyte, mark: 1));
        _spare.DropUnasked();
        Assert.NotEqual(0, _spare.Bytes);

        _spare.DropUnasked();
        Assert.Equal(0, _spare.Bytes);
    }

    [Fact]
    public void Release_AfterDispose_KeepsNothing()
    {
        var late = Create(Megabyte, mark: 1);
        _spare.Dispose();

        Release(late);

        Assert.Equal(0, _spare.Bytes);
    }

    [Fact]
    public void Release_OfASmallBlock_IsTheHeaps()
    {
        Release(Create(100_000, mark: 1));

        Assert.Equal(0, _spare.Bytes);
    }

    private LargeBlock Create(int length, byte? mark)
    {
        Assert.True(LargeBlock.TryCreate(length, length, _spare, out var block));
        if (mark is { } value)
            block.Value.Fill(value);
        return block;
    }

    private void Release(LargeBlock block) => Assert.NotEqual(0, block.Release(_spare));
}
