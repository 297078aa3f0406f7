using System.Text;
using Cache.Core.Collections;
using Cache.Core.Collections.Lists;
using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>What others do between the steps of a write of a large list.</summary>
public sealed class LargeListScheduleTests : IDisposable
{
    private const int Many = 2_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private ListKey List => Store.List("l"u8);

    private EntryKey Key => new("l"u8, (byte)Store.Keyspace, Store.State.HashOf("l"u8, Store.Keyspace));

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Trim_WhileOthersPushAndPop_RemovesWhatWasThereAndNothingElse() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        Fill();
        int first = random.Next(900), last = random.Next(1_000, Many - 1);
        var pushed = random.Next(2) == 0 ? ListEnd.Left : ListEnd.Right; // At the other one they only pop.
        TrimRest? rest = null;
        for (int step = 0; rest is not { IsNone: true }; step++)
        {
            var before = All();
            var edit = new TrimEdit(first, last, rest);
            Assert.Equal(WriteStatus.Done, ObjectWriter.Write(Store.State, Key, ref edit));
            rest = edit.Rest;
            var after = All();
            Assert.All(before.Except(after), gone => Assert.True(IsOutside(gone, first, last), gone));
            Assert.Equal(before.Intersect(after), after);
            for (int i = random.Next(4); i > 0; i--)
                List.Push(pushed, Bytes($"pushed {step} {i}"));
            for (int i = random.Next(4); i > 0; i--)
                List.PopArray(pushed == ListEnd.Left ? ListEnd.Right : ListEnd.Left);
        }

        Assert.DoesNotContain(All(), element => IsOutside(element, first, last));
        Assert.Contains(All(), static element => element.StartsWith("pushed", StringComparison.Ordinal));
        Store.AssertValid();
    });

    // What is pushed where it was popped cannot be told from it: but no more goes than there was.
    [Fact]
    public void Trim_WhileOthersPushWhereTheyPop_RemovesNoMoreThanThereWas() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        Fill();
        TrimRest? rest = null;
        long removed = 0;
        int kept = 600; // Others may pop one where an end is done.
        for (int step = 0; rest is not { IsNone: true }; step++)
        {
            long before = List.Count;
            var edit = new TrimEdit(700, 1_299, rest);
            Assert.Equal(WriteStatus.Done, ObjectWriter.Write(Store.State, Key, ref edit));
            rest = edit.Rest;
            removed += before - List.Count;
            kept -= Others(random, step) is { } popped && IsKept(popped) ? 1 : 0;
        }

        Assert.InRange(removed, 1, 1_400);
        Assert.Equal(kept, All().Count(IsKept));
        Store.AssertValid();

        static bool IsKept(string element) => element[0] == 'e' && !IsOutside(element, 700, 1_299);
    });

    [Fact]
    public void Insert_AtAPlaceThatHasMoved_IsBesideItsElement() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        Fill();
        for (int i = 0; i < 50; i++)
        {
            string pivot = $"element {random.Next(600, 1_400)}";
            var place = PlaceOf(pivot);
            for (int j = 0; j < 3; j++)
                Others(random, (i * 3) + j);
            var edit = new InsertElementEdit(Bytes(pivot), Bytes($"before {i}"), isBefore: true, place);
            Assert.Equal(WriteStatus.Done, ObjectWriter.Write(Store.State, Key, ref edit));
            var all = All();
            Assert.Equal(all.IndexOf(pivot), all.IndexOf($"before {i}") + 1);
        }

        Store.AssertValid();
    });

    [Fact]
    public void Insert_AtAPlaceWithAnotherElement_LooksAgain()
    {
        Fill();
        var place = PlaceOf("element 900");
        Assert.Equal(WriteStatus.Done, List.InsertBefore("element 500"u8, "x"u8, out _));
        var edit = new InsertElementEdit("element 900"u8, "y"u8, isBefore: true, place);
        Assert.Equal(
            WriteStatus.ConditionNotMet, ObjectWriter.Write(Store.State, Key, ref edit));
        Assert.True(edit.NeedsPlace);
        Assert.Equal(Many + 1, List.Count);

        Store.Remove("l"u8); // Another list has other places.
        Fill();
        var again = new InsertElementEdit("element 900"u8, "y"u8, isBefore: true, place);
        ObjectWriter.Write(Store.State, Key, ref again);
        Assert.True(!again.NeedsPlace || List.Count == Many);
        Assert.Equal(WriteStatus.Done, List.InsertBefore("element 900"u8, "z"u8, out _));
        Assert.Equal(All().IndexOf("element 900"), All().IndexOf("z") + 1);
    }

    [Fact]
    public void Insert_ThatSearchesAll_FindsTheLeftmost()
    {
        Fill();
        var edit = new InsertElementEdit("element 900"u8, "x"u8, isBefore: false, place: null, searchesAll: true);
        Assert.Equal(WriteStatus.Done, ObjectWriter.Write(Store.State, Key, ref edit));
        Assert.Equal("x", All()[901]);
    }

    [Fact]
    public void RemovePlaces_OfElementsThatHaveMovedOrGone_RemovesTheOthers()
    {
        Fill();
        ListPlace[] places = [PlaceOf("element 0"), PlaceOf("element 900"), PlaceOf("element 1500"),
            PlaceOf("element 1999")];
        Assert.NotNull(List.PopArray(ListEnd.Left));
        Assert.NotNull(List.PopArray(ListEnd.Right));
        List.Push(ListEnd.Left, "left"u8);
        var edit = new RemovePlacesEdit(places, "element 900"u8);
        Assert.Equal(WriteStatus.Done, ObjectWriter.Write(Store.State, Key, ref edit));
        Assert.Equal((1, 1, true), (edit.Removed, edit.Shift, edit.IsOutdated));
        var gone = new RemovePlacesEdit([places[3]], "element 1999"u8);
        Assert.Equal(WriteStatus.NotFound, ObjectWriter.Write(Store.State, Key, ref gone));
        Assert.Equal((0, false), (gone.Removed, gone.IsOutdated));
        Assert.Equal(Many - 2, List.Count);
        Store.AssertValid();
    }

    private static bool IsOutside(string element, int first, int last) =>
        element.StartsWith("element ", StringComparison.Ordinal)
        && int.Parse(element.AsSpan(8), System.Globalization.CultureInfo.InvariantCulture) is int number
        && (number < first || number > last);

    // What is popped, if anything is.
    private string? Others(Random random, int step)
    {
        var end = random.Next(2) == 0 ? ListEnd.Left : ListEnd.Right;
        byte[]? popped = random.Next(3) == 0 ? List.PopArray(end) : null;
        for (int i = random.Next(4); i > 0; i--)
            List.Push(end, Bytes($"pushed {step} {i}"));
        return popped is null ? null : Encoding.ASCII.GetString(popped);
    }

    private void Fill()
    {
        Store.Remove("l"u8);
        for (int i = 0; i < Many; i++)
            List.Push(ListEnd.Right, Bytes($"element {i}"));
    }

    private ListPlace PlaceOf(string element)
    {
        using var copy = CollectionCopy.Peek(Store.State, Key, EntryKind.List, out _, out _);
        return ListPlace.Of(copy.View, All().IndexOf(element));
    }

    private List<string> All()
    {
        var all = new ElementListSink();
        List.GetRange(0, -1, ref all);
        return all.Elements;
    }
}
