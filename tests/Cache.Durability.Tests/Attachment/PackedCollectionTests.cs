using System.Text;
using Cache.Core.Collections.Packed;
using Cache.Durability.Attachment;

namespace Cache.Durability.Tests.Attachment;

/// <summary>What a dump has in any order lies as the store would have made it: else its writes go wrong.</summary>
public sealed class PackedCollectionTests
{
    private readonly PackedCollection _packed = new();

    [Theory]
    [InlineData("10 9 -1", "-1 9 10", false)]
    [InlineData("10 a 9", "10 a 9", true)]
    [InlineData("9 01", "9 01", true)]
    [InlineData(" 1", " 1", true)] // The first one is empty.
    public void Make_Set_IsInTheOrderOfItsKind(string members, string expected, bool isConverted)
    {
        Assert.Equal(PackedCollection.Step.Done, Make(3, members, []));
        Assert.Equal((expected, isConverted), (Names(PackedShape.Set), IsConverted()));
    }

    [Fact]
    public void Make_SortedSet_IsInTheOrderOfScoresThenMembers()
    {
        Assert.Equal(PackedCollection.Step.Done, Make(4, "d b c a", [2, 1, double.NegativeInfinity, 1]));
        Assert.Equal(("c a b d", false), (Names(PackedShape.SortedSet), IsConverted()));
        Assert.Equal(PackedCollection.Step.Done, Make(4, new string('m', 65), [1]));
        Assert.True(IsConverted());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(4)]
    public void Make_SameNameTwice_IsTold(byte type) =>
        Assert.Equal(PackedCollection.Step.Twice, Make(type, "1 2 1", [1, 2, 3]));

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void Make_MoreThanARecordHas_IsTooLong(byte type)
    {
        string names = string.Join(' ', Enumerable.Range(0, 700).Select(static i => $"name-{i}"));
        Assert.Equal(PackedCollection.Step.TooLong, Make(type, names, new double[700]));
    }

    private PackedCollection.Step Make(byte type, string names, double[] scores)
    {
        string[] all = names.Split(' ');
        return _packed.Make(type, all.Length, new Elements(all, scores));
    }

    private string Names(PackedShape shape)
    {
        Assert.True(PackedTable.TryOpen(_packed.Bytes.AsSpan(0, _packed.Length), shape, out var table));
        List<string> names = [];
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
            names.Add(Encoding.ASCII.GetString(table.NameAt(place)));
        return string.Join(' ', names);
    }

    private bool IsConverted() =>
        (PackedTable.FlagsOf(_packed.Bytes.AsSpan(0, _packed.Length)) & PackedTable.ConvertedFlag) != 0;

    private readonly struct Elements(string[] names, double[] scores) : IPackedElements
    {
        public ReadOnlySpan<byte> NameAt(int index) => Encoding.ASCII.GetBytes(names[index]);

        public ReadOnlySpan<byte> ValueAt(int index) => "v"u8;

        public double ScoreAt(int index) => scores[index];
    }
}
