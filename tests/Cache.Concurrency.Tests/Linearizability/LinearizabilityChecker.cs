namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>Decides whether a history of one key could have come from one operation after the other.</summary>
/// <remarks>
/// The search of Wing and Gong (1993) with Lowe's memory of what was tried: operations are taken off the history one
/// by one, each among those invoked before any other returned; a set of operations taken off that led to the same
/// state before is not followed again. An operation whose answer was lost returns after all others, and need not be
/// taken. Where entries may be evicted, each operation is also tried on the state that an eviction before it leaves.
/// </remarks>
internal sealed class LinearizabilityChecker
{
    // A history that needs more is not one of this test's; the search would take the machine's memory.
    private const int ConfigurationsMax = 4_000_000;

    private readonly KeyOperation[] _history;
    private readonly HistoryList _list;
    private readonly HashSet<Configuration> _tried = [];
    private readonly Stack<(int Operation, bool AfterEviction, KeyState Before)> _taken = new();
    private readonly bool _mayEvict;
    private OperationSet _takenSet;
    private KeyState _state;

    private LinearizabilityChecker(KeyOperation[] history, KeyState initial, bool mayEvict)
    {
        _mayEvict = mayEvict;
        _history = history;
        _list = new HistoryList(history);
        _takenSet = new OperationSet(history.Length);
        _state = initial;
    }

    /// <param name="history">Operations on one key, in any order.</param>
    /// <param name="initial">The key's state before all of them.</param>
    /// <param name="mayEvict">Whether the entry may go at any moment without an operation.</param>
    public static bool IsLinearizable(KeyOperation[] history, KeyState initial, bool mayEvict = false) =>
        new LinearizabilityChecker(history, initial, mayEvict).Search();

    private bool Search()
    {
        int node = _list.First;
        while (!_list.IsEmpty)
        {
            if (!_list.IsReturn(node))
            {
                node = TryTake(_list.OperationOf(node)) ? _list.First : _list.Next(node);
                continue;
            }

            // Lost operations are the last to return: all others are taken.
            if (_history[_list.OperationOf(node)].IsLost)
                return true;

            // An operation that returned here was not taken: the last choice was wrong.
            if (!_taken.TryPop(out var last))
                return false;
            _state = last.Before;
            _takenSet = _takenSet.Without(last.Operation);
            _list.PutBack(last.Operation);
            node = !last.AfterEviction && TryTakeAfterEviction(last.Operation)
                ? _list.First
                : _list.Next(_list.InvocationOf(last.Operation));
        }

        return true;
    }

    private bool TryTake(int operation) => TryTake(operation, _state, false) || TryTakeAfterEviction(operation);

    private bool TryTakeAfterEviction(int operation)
    {
        var evicted = _state;
        return _mayEvict && evicted.TryEvict(operation + 1) && TryTake(operation, evicted, true);
    }

    private bool TryTake(int operation, KeyState after, bool afterEviction)
    {
        if (!after.TryApply(_history[operation], operation + 1))
            return false;
        var set = _takenSet.With(operation);
        if (!_tried.Add(new Configuration(set, after)))
            return false;
        if (_tried.Count > ConfigurationsMax)
            throw new InvalidOperationException($"Undecided after {ConfigurationsMax} configurations.");
        _taken.Push((operation, afterEviction, _state));
        _state = after;
        _takenSet = set;
        _list.Take(operation);
        return true;
    }

    private readonly record struct Configuration(OperationSet Taken, KeyState State);
}
