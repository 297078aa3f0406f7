namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>The checker itself, on histories whose answer is known.</summary>
public sealed class LinearizabilityCheckerTests
{
    [Fact]
    public void IsLinearizable_OneAfterTheOther_Holds() => AssertHolds(
        Did(OperationKind.Get, 0, 0, 1, succeeded: false),
        Did(OperationKind.Set, 0, 2, 3, argument: 5),
        Did(OperationKind.Get, 1, 4, 5, result: 5),
        Did(OperationKind.Increment, 0, 6, 7, argument: 2, result: 7),
        Did(OperationKind.Exchange, 0, 8, 9, argument: 20, result: 7),
        Did(OperationKind.SetIfAbsent, 0, 10, 11, argument: 1, succeeded: false),
        Did(OperationKind.TryRemove, 1, 12, 13, result: 20),
        Did(OperationKind.Remove, 1, 14, 15, succeeded: false),
        Did(OperationKind.SetIfAbsent, 0, 16, 17, argument: 3));

    [Fact]
    public void IsLinearizable_ReadsDuringAWrite_MaySeeOldThenNew() => AssertHolds(
        Did(OperationKind.Set, 0, 0, 100, argument: 5),
        Did(OperationKind.Get, 1, 10, 20, succeeded: false),
        Did(OperationKind.Get, 1, 30, 40, result: 5));

    [Fact]
    public void IsLinearizable_ReadsDuringAWrite_MayNotSeeNewThenOld() => AssertFails(
        Did(OperationKind.Set, 0, 0, 100, argument: 5),
        Did(OperationKind.Get, 1, 10, 20, result: 5),
        Did(OperationKind.Get, 1, 30, 40, succeeded: false));

    [Fact]
    public void IsLinearizable_StaleRead_Fails() => AssertFails(
        Did(OperationKind.Set, 0, 0, 1, argument: 5),
        Did(OperationKind.Set, 0, 2, 3, argument: 6),
        Did(OperationKind.Get, 1, 4, 5, result: 5));

    [Fact]
    public void IsLinearizable_ValueThatNobodyWrote_Fails() => AssertFails(
        Did(OperationKind.Set, 0, 0, 10, argument: 5),
        Did(OperationKind.Get, 1, 0, 10, result: 6));

    [Fact]
    public void IsLinearizable_ResurrectedValue_Fails() => AssertFails(
        Did(OperationKind.Set, 0, 0, 1, argument: 5),
        Did(OperationKind.Remove, 0, 2, 3),
        Did(OperationKind.Get, 1, 4, 5, result: 5));

    [Fact]
    public void IsLinearizable_LostWrite_Fails() => AssertFails(
        Did(OperationKind.Set, 0, 0, 1, argument: 5),
        Did(OperationKind.Get, 1, 2, 3, succeeded: false));

    [Fact]
    public void IsLinearizable_LostIncrement_Fails() => AssertFails(
        Did(OperationKind.Increment, 0, 0, 10, argument: 1, result: 1),
        Did(OperationKind.Increment, 1, 0, 10, argument: 1, result: 1));

    [Fact]
    public void IsLinearizable_ConcurrentIncrements_HoldInEitherOrder() => AssertHolds(
        Did(OperationKind.Increment, 0, 0, 10, argument: 1, result: 2),
        Did(OperationKind.Increment, 1, 0, 10, argument: 1, result: 1));

    [Fact]
    public void IsLinearizable_TwoRemovalsOfOneEntry_Fail() => AssertFails(
        Did(OperationKind.Set, 0, 0, 1, argument: 5),
        Did(OperationKind.Remove, 0, 2, 10),
        Did(OperationKind.TryRemove, 1, 2, 10, result: 5));

    [Fact]
    public void IsLinearizable_TwoSetsIfAbsent_Fail() => AssertFails(
        Did(OperationKind.SetIfAbsent, 0, 0, 10, argument: 5),
        Did(OperationKind.SetIfAbsent, 1, 0, 10, argument: 6));

    [Fact]
    public void IsLinearizable_LostUpdateUnderAVersion_Fails() => AssertFails(
        Did(OperationKind.GetVersion, 0, 0, 1, succeeded: false),
        Did(OperationKind.GetVersion, 1, 0, 1, succeeded: false),
        Did(OperationKind.SetIfUnchanged, 0, 2, 10, argument: 5),
        Did(OperationKind.SetIfUnchanged, 1, 2, 10, argument: 6));

    [Fact]
    public void IsLinearizable_SetIfUnchangedAfterTheSameValueCameBack_Fails() => AssertFails(
        Did(OperationKind.Set, 0, 0, 1, argument: 5),
        Did(OperationKind.GetVersion, 0, 2, 3, result: 5),
        Did(OperationKind.Set, 1, 4, 5, argument: 6),
        Did(OperationKind.Set, 1, 6, 7, argument: 5),
        Did(OperationKind.SetIfUnchanged, 0, 8, 9, argument: 7));

    [Fact]
    public void IsLinearizable_SetIfUnchanged_HoldsWhenRefusedAndWhenRight() => AssertHolds(
        Did(OperationKind.Set, 0, 0, 1, argument: 5),
        Did(OperationKind.GetVersion, 0, 2, 3, result: 5),
        Did(OperationKind.SetIfUnchanged, 0, 4, 5, argument: 7, succeeded: false),
        Did(OperationKind.SetIfUnchanged, 0, 6, 7, argument: 8),
        Did(OperationKind.Get, 1, 8, 9, result: 8));

    [Fact]
    public void IsLinearizable_NeedsTheWritesInACertainOrder_FindsIt()
    {
        var history = new List<KeyOperation>();
        for (int i = 0; i < KeyState.ThreadsMax; i++)
            history.Add(Did(OperationKind.Increment, i, 0, 100, argument: 1 << i, result: (1 << (i + 1)) - 1));

        AssertHolds([.. history]);
        history[3] = history[3] with { Result = 1000 };
        AssertFails([.. history]);
    }

    [Fact]
    public void IsLinearizable_LostWrite_MayHaveTakenPlaceOrNot()
    {
        var lost = Lost(OperationKind.Set, 0, 0, argument: 5);
        AssertHolds(lost, Did(OperationKind.Get, 1, 10, 20, succeeded: false));
        AssertHolds(
            lost, Did(OperationKind.Get, 1, 10, 20, succeeded: false), Did(OperationKind.Get, 1, 30, 40, result: 5));
        AssertFails(
            lost, Did(OperationKind.Get, 1, 10, 20, result: 5), Did(OperationKind.Get, 1, 30, 40, succeeded: false));
    }

    [Fact]
    public void IsLinearizable_LostWrite_DoesNotTakePlaceBeforeItsInvocation() => AssertFails(
        Did(OperationKind.Get, 1, 0, 1, result: 5),
        Lost(OperationKind.Set, 0, 2, argument: 5));

    [Fact]
    public void IsLinearizable_LostIncrement_CountsOnceAtMost()
    {
        var lost = Lost(OperationKind.Increment, 0, 0, argument: 1);
        AssertHolds(lost, Did(OperationKind.Increment, 1, 10, 20, argument: 1, result: 2));
        AssertHolds(lost, Did(OperationKind.Increment, 1, 10, 20, argument: 1, result: 1));
        AssertFails(lost, Did(OperationKind.Increment, 1, 10, 20, argument: 1, result: 3));
    }

    [Fact]
    public void IsLinearizable_LostRemovalAndLostSetIfAbsent_ExplainAValue()
    {
        KeyOperation[] history =
        [
            Did(OperationKind.Set, 0, 0, 1, argument: 5),
            Lost(OperationKind.Remove, 1, 2),
            Lost(OperationKind.SetIfAbsent, 2, 3, argument: 6),
            Did(OperationKind.Get, 0, 4, 5, result: 6),
        ];
        AssertHolds(history);
        AssertFails([history[0], history[2], history[3]]);
    }

    [Fact]
    public void IsLinearizable_EntryGoneByItself_HoldsOnlyWhereEntriesAreEvicted()
    {
        KeyOperation[] history =
        [
            Did(OperationKind.Set, 0, 0, 1, argument: 5),
            Did(OperationKind.Get, 0, 2, 3, result: 5),
            Did(OperationKind.SetIfAbsent, 0, 4, 5, argument: 6),
            Did(OperationKind.Increment, 0, 6, 7, argument: 1, result: 1),
        ];
        AssertFails(history);
        AssertHoldsEvicting(history);
    }

    [Fact]
    public void IsLinearizable_EvictedEntryComesBack_Fails() =>
        Assert.False(LinearizabilityChecker.IsLinearizable(
            [
                Did(OperationKind.Set, 0, 0, 1, argument: 5),
                Did(OperationKind.Get, 0, 2, 3, succeeded: false),
                Did(OperationKind.Get, 0, 4, 5, result: 5),
            ],
            KeyState.Absent,
            mayEvict: true));

    [Fact]
    public void IsLinearizable_EvictionBeforeALostIncrement_IsTriedToo() => AssertHoldsEvicting(
        Did(OperationKind.Set, 0, 0, 1, argument: 5),
        Lost(OperationKind.Increment, 1, 2, argument: 3),
        Did(OperationKind.Get, 0, 4, 5, result: 3));

    private static void AssertHoldsEvicting(params KeyOperation[] history) =>
        Assert.True(LinearizabilityChecker.IsLinearizable(history, KeyState.Absent, mayEvict: true));

    private static void AssertHolds(params KeyOperation[] history) =>
        Assert.True(LinearizabilityChecker.IsLinearizable(history, KeyState.Absent));

    private static void AssertFails(params KeyOperation[] history) =>
        Assert.False(LinearizabilityChecker.IsLinearizable(history, KeyState.Absent));

    private static KeyOperation Lost(OperationKind kind, int thread, long invoked, long argument = 0) =>
        Did(kind, thread, invoked, long.MaxValue, argument);

    private static KeyOperation Did(
        OperationKind kind, int thread, long invoked, long returned, long argument = 0, long result = 0,
        bool succeeded = true) => new(kind, thread, argument, succeeded, result, invoked, returned);
}
