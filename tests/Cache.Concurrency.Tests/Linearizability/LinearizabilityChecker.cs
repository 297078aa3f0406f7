namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>Decides whether a history of one key could have come from one operation after the other.</summary>
/// <remarks>
/// The search of Wing and Gong (1993) with Lowe's memory of what was tried: operations are taken off the history one
/// by one, each among those invoked before any other returned; a set of operations taken off that led to the same
/// state before is not followed again.
/// </remarks>
internal sealed class LinearizabilityChecker
{
    // A history that needs more is not one of this test's; the search would take the machine's memory.
    private const int ConfigurationsMax = 4_000_000;

    private readonly KeyOperation[] _history;
    private readonly HistoryList _list;
    private readonly HashSet<Configuration> _tried = [];
    private readonly Stack<(int Operation, KeyState Before)> _taken = new();
    private OperationSet _takenSet;
    private KeyState _state;

    private LinearizabilityChecker(KeyOperation[] history, KeyState initial)
    {
        _history = history;
        _list = new HistoryList(history);
        _takenSet = new OperationSet(history.Length);
        _state = initial;
    }

    public static bool IsLinearizable(KeyOperation[] history, KeyState initial) =>
        new LinearizabilityChecker(history, initial).Search();

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

            // An operation that returned here was not taken: the last choice was wrong.
            if (!_taken.TryPop(out var last))
                return false;
            _state = last.Before;
            _takenSet = _takenSet.Without(last.Operation);
            _list.PutBack(last.Operation);
            node = _list.Next(_list.InvocationOf(last.Operation));
        }

        return true;
    }

    private bool TryTake(int operation)
    {
        var after = _state;
        if (!after.TryApply(_history[operation], operation + 1))
            return false;
        var set = _takenSet.With(operation);
        if (!_tried.Add(new Configuration(set, after)))
            return false;
        if (_tried.Count > ConfigurationsMax)
            throw new InvalidOperationException($"Undecided after {ConfigurationsMax} configurations.");
        _taken.Push((operation, _state));
        _state = after;
        _takenSet = set;
        _list.Take(operation);
        return true;
    }

    private readonly record struct Configuration(OperationSet Taken, KeyState State);
}
