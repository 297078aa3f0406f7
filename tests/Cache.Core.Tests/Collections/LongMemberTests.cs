using Cache.Core.Collections.Objects;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Members and names of fields that are too long for the pages of trees.</summary>
public sealed class LongMemberTests : IDisposable
{
    private const int Many = 300;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private LongElements Long => Store.State.Objects!.LongElements;

    public void Dispose() => _fixture.Dispose();

    // At the bounds of names in pages, of elements in pages, and beyond.
    [Theory]
    [InlineData(1_024)]
    [InlineData(1_025)]
    [InlineData(1_280)]
    [InlineData(1_281)]
    [InlineData(100_000)]
    [InlineData(3 << 20)]
    public void Set_WithALongMember_HasIt(int length)
    {
        var set = Store.SetOf("s"u8);
        LargeSetTests.Fill(Store, "s", Many);
        Assert.Equal(WriteStatus.Done, set.Add(Name(length, 1)));
        Assert.Equal(WriteStatus.ConditionNotMet, set.Add(Name(length, 1)));
        Assert.Equal(WriteStatus.Done, set.Add(Name(length, 2)));
        Assert.Equal((true, true, false), (
            set.Contains(Name(length, 1)), set.Contains(Name(length, 2)), set.Contains(Name(length, 3))));
        Assert.Equal(Many + 2, set.Count);
        var all = new MemberListSink();
        Assert.Equal(ReadStatus.Found, set.GetAll(ref all));
        Assert.Contains(Text(Name(length, 1)), all.Members);
        Store.AssertValid();

        Assert.Equal(WriteStatus.Done, set.Remove(Name(length, 1)));
        Assert.Equal(WriteStatus.NotFound, set.Remove(Name(length, 1)));
        Assert.False(set.Contains(Name(length, 1)));
        var popped = new MemberListSink();
        Assert.Equal(WriteStatus.Done, set.Pop(Many + 1, ref popped));
        Assert.Contains(Text(Name(length, 2)), popped.Members);
        AssertNothingIsLeft();
    }

    // Each takes a part of what room is left between the labels of two others; then there is none.
    [Fact]
    public void Members_AddedBetweenTheLastTwoAgainAndAgain_AreAllThereOrRefused()
    {
        const int Beginning = 1_100, Count = 500;
        var expected = new List<string>();
        byte[] text = Filled(Beginning + Count + 1, (byte)'m');
        var sorted = Store.SortedSet("z"u8);
        for (int i = 0; i < Count; i++)
        {
            text[Beginning + i] = (byte)'1'; // One bit more of a number between the last two.
            byte[] member = text[..(Beginning + 1 + i)];
            var status = sorted.Add(member, 1);
            Assert.Equal(expected.Count == i ? status : WriteStatus.CollectionTooLong, status);
            Assert.Equal(status == WriteStatus.Done, sorted.Contains(member));
            if (status == WriteStatus.Done)
                expected.Add(Text(member));
            if (i % 2 == 0)
                text[Beginning + i] = (byte)'0';
        }

        Store.AssertValid();
        Assert.InRange(expected.Count, 200, Count - 1); // Else the last places were not asked for.
        expected.Sort(string.CompareOrdinal);
        var all = new ScoredListSink();
        Assert.Equal(ReadStatus.Found, sorted.GetRange(SortedSetRange.All, ref all));
        Assert.Equal(expected, all.Members.Select(static each => each.Member));
    }

    [Theory]
    [InlineData(1_024, 10)]
    [InlineData(1_025, 0)]
    [InlineData(1_200, 5)]
    [InlineData(1_275, 5)]
    [InlineData(1_275, 50)]
    [InlineData(70_000, 70_000)]
    public void Hash_WithALongName_HasItsValues(int length, int valueLength)
    {
        var hash = Store.Hash("h"u8);
        LargeHashTests.Fill(Store, "h", Many);
        byte[] name = Name(length, 1);
        Assert.Equal(WriteStatus.Done, hash.Set(name, new byte[valueLength]));
        Assert.Equal(new byte[valueLength], hash.GetArray(name)!);
        Assert.Equal(WriteStatus.Done, hash.Set(name, Bytes("7")));
        Assert.Equal(WriteStatus.Done, hash.Increment(name, 5, out long sum));
        Assert.Equal((12, Many + 1), (sum, hash.Count));
        Assert.Equal("12"u8, hash.GetArray(name)!);
        Assert.Null(hash.GetArray(Name(length, 2)));
        var all = new FieldListSink();
        Assert.Equal(ReadStatus.Found, hash.GetAll(ref all));
        Assert.Contains((Text(name), "12"), all.Fields);
        Store.AssertValid();
        Assert.Equal(WriteStatus.Done, hash.Remove(name));
        Assert.Null(hash.GetArray(name));
        Store.Remove("h"u8);
        AssertNothingIsLeft();
    }

    // Redis compares all bytes: so do equal beginnings of any length.
    [Theory]
    [InlineData(1_020)]
    [InlineData(1_100)]
    [InlineData(5_000)]
    public void SortedSet_WithMembersThatBeginAlike_HasThemInOrder(int alike)
    {
        var random = new Random(alike);
        var set = Store.SortedSet("z"u8);
        LargeSortedSetTests.Fill(Store, "z", Many);
        string beginning = new('x', alike);
        string[] members = [beginning, .. Enumerable.Range(0, 200).Select(i => beginning + (char)('A' + i % 26) + i)];
        random.Shuffle(members);
        foreach (string member in members)
            Assert.Equal(WriteStatus.Done, set.Add(Bytes(member), -5));
        Array.Sort(members, string.CompareOrdinal);

        var range = new ScoredListSink();
        Assert.Equal(ReadStatus.Found, set.GetRange(SortedSetRange.ByScore(-5, -5), ref range));
        Assert.Equal(members, range.Members.Select(static one => one.Member));
        for (int i = 0; i < members.Length; i += 7)
        {
            Assert.True(set.TryGetRank(Bytes(members[i]), isReversed: false, out long rank));
            Assert.Equal(i, rank);
        }

        Store.AssertValid();
        Assert.Equal(WriteStatus.Done, set.Add(Bytes(members[3]), 1e9));
        Assert.True(set.TryGetRank(Bytes(members[3]), isReversed: true, out long last));
        Assert.Equal(0, last);
        var popped = new ScoredListSink();
        Assert.Equal(WriteStatus.Done, set.Pop(3, takesHighest: false, ref popped));
        Assert.Equal(members[..3], popped.Members.Select(static one => one.Member));
        Store.AssertValid();
        Store.Remove("z"u8);
        AssertNothingIsLeft();
    }

    [Fact]
    public void SortedSet_OfOneScore_HasRangesBetweenLongMembers()
    {
        var set = Store.SortedSet("z"u8);
        string[] members = [.. Enumerable.Range(0, 100).Select(static i => new string('x', 2_000) + $"{i:D3}")];
        foreach (string member in members)
            set.Add(Bytes(member), 0);

        foreach (var (low, high) in new[] { (10, 20), (0, 99), (50, 50), (60, 40) })
        {
            var range = SortedSetRange.ByMember(
                MemberBound.At(Bytes(members[low])), MemberBound.Without(Bytes(members[high])));
            var told = new ScoredListSink();
            set.GetRange(range, ref told);
            string[] expected = low < high ? members[low..high] : [];
            Assert.Equal(expected, told.Members.Select(static one => one.Member));
            set.GetCount(range, out long count);
            Assert.Equal(expected.Length, count);
        }

        var removed = SortedSetRange.ByMember(
            MemberBound.At(Bytes(members[5])), MemberBound.At(Bytes(members[94])));
        Assert.Equal(WriteStatus.Done, set.RemoveRange(removed, out int gone));
        Assert.Equal((90, 10), (gone, set.Count));
        Store.AssertValid();
    }

    // The order in which labels are used up fastest.
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void SortedSet_WithMembersInAnyOrderBetweenTwo_HasThem(int order)
    {
        var set = Store.SortedSet("z"u8);
        string beginning = new('x', 1_024);
        set.Add(Bytes(beginning + "0"), 1);
        set.Add(Bytes(beginning + "9"), 1);
        var numbers = Enumerable.Range(0, 400);
        numbers = order switch
        {
            0 => numbers,
            1 => numbers.Reverse(),
            _ => numbers.Select(static i => i % 2 == 0 ? i / 2 : 399 - i / 2), // From both sides to the middle.
        };
        foreach (int i in numbers)
            Assert.Equal(WriteStatus.Done, set.Add(Bytes($"{beginning}5{i:D4}"), 1));
        var told = new ScoredListSink();
        set.GetRange(SortedSetRange.ByRank(1, -2), ref told);
        Assert.Equal(
            Enumerable.Range(0, 400).Select(i => $"{beginning}5{i:D4}"), told.Members.Select(static one => one.Member));
        Store.AssertValid();
    }

    [Fact]
    public void Expiry_OfALongField_RemovesIt()
    {
        var hash = Store.Hash("h"u8);
        LargeHashTests.Fill(Store, "h", Many);
        byte[] name = Name(5_000, 1);
        hash.Set(name, Bytes("value"));
        Assert.Equal(WriteStatus.Done, hash.Expire(name, Store.NowMs + 1_000));
        Assert.Equal("value"u8, hash.GetArray(name)!);
        Store.AssertValid();
        _fixture.Clock.Advance(TimeSpan.FromSeconds(2));
        Assert.Null(hash.GetArray(name));
        Store.AssertValid();
        Store.Remove("h"u8);
        AssertNothingIsLeft();
    }

    [Fact]
    public void CopyAndRename_OfLongMembers_KeepThem()
    {
        LargeSetTests.Fill(Store, "s", Many);
        Store.SetOf("s"u8).Add(Name(9_000, 1));
        LargeSortedSetTests.Fill(Store, "z", Many);
        Store.SortedSet("z"u8).Add(Name(9_000, 1), 3);
        foreach (string key in new[] { "s", "z" })
        {
            Assert.Equal(WriteStatus.Done, Store.Copy(Bytes(key), Store, Bytes(key + "2"), SetCondition.Always));
            Assert.True(Store.Remove(Bytes(key)));
            Assert.Equal(WriteStatus.Done, Store.Rename(Bytes(key + "2"), Bytes(key), SetCondition.Always));
        }

        Assert.True(Store.SetOf("s"u8).Contains(Name(9_000, 1)));
        Assert.True(Store.SortedSet("z"u8).TryGetScore(Name(9_000, 1), out double score));
        Assert.Equal(3, score);
        Store.AssertValid();
    }

    [Fact]
    public void Scan_OfLongMembers_TellsAllInSteps()
    {
        var set = Store.SetOf("s"u8);
        for (int i = 0; i < 40; i++)
            set.Add(Name(200_000, i));
        var found = new HashSet<string>();
        ulong cursor = 0;
        int steps = 0;
        do
        {
            var told = new MemberListSink();
            Assert.Equal(ReadStatus.Found, set.Scan(ref cursor, 1_000, ref told));
            found.UnionWith(told.Members);
            Assert.InRange(told.Members.Count, 0, 12);
            steps++;
        }
        while (cursor != 0);
        Assert.Equal(40, found.Count);
        Assert.InRange(steps, 4, 40);
    }

    [Fact]
    public void Combinations_OfLongMembers_HaveThem()
    {
        for (int i = 0; i < 60; i++)
        {
            Store.SetOf("a"u8).Add(Name(2_000, i));
            Store.SetOf("b"u8).Add(Name(2_000, i * 2));
        }

        var keys = new KeyArray(Bytes("a"), Bytes("b"));
        Assert.Equal(
            WriteStatus.Done, Store.StoreSets(SetCombination.Intersection, ref keys, "c"u8, out long count));
        Assert.Equal((30, 30), (count, Store.SetOf("c"u8).Count));
        Assert.True(Store.SetOf("c"u8).Contains(Name(2_000, 4)));
        Assert.False(Store.SetOf("c"u8).Contains(Name(2_000, 5)));
        Store.AssertValid();
    }

    private static byte[] Name(int length, int number) => Bytes(new string('n', length - 8) + $"{number:D8}");

    private static string Text(byte[] bytes) => System.Text.Encoding.ASCII.GetString(bytes);

    private void AssertNothingIsLeft()
    {
        Store.AssertValid(); // It empties the graveyard.
        Assert.Equal(0, Long.Bytes);
    }
}
