namespace Cache.Concurrency.Tests.Linearizability;

/// <summary>Invocations and returns of a history in the order of time; operations are taken off it.</summary>
/// <remarks>
/// Node 2i is the invocation of operation i, node 2i + 1 its return; the last node is the list's head. Operations are
/// put back in the reverse order in which they were taken, so that a node's neighbours are those that it left.
/// </remarks>
internal sealed class HistoryList
{
    private readonly int[] _next;
    private readonly int[] _previous;
    private readonly int _head;

    public HistoryList(KeyOperation[] history)
    {
        _head = history.Length * 2;
        _next = new int[_head + 1];
        _previous = new int[_head + 1];
        int last = _head;
        foreach (int node in NodesInTime(history))
        {
            _next[last] = node;
            _previous[node] = last;
            last = node;
        }

        _next[last] = _head;
        _previous[_head] = last;
    }

    public bool IsEmpty => First == _head;

    public int First => _next[_head];

    public int Next(int node) => _next[node];

    public bool IsReturn(int node) => (node & 1) != 0 || node == _head;

    public int OperationOf(int node) => node / 2;

    public int InvocationOf(int operation) => operation * 2;

    public void Take(int operation)
    {
        Unlink(operation * 2);
        Unlink(operation * 2 + 1);
    }

    public void PutBack(int operation)
    {
        Link(operation * 2 + 1);
        Link(operation * 2);
    }

    // At the same moment an invocation comes first: the clock does not tell, so the two may have overlapped.
    private static int[] NodesInTime(KeyOperation[] history)
    {
        var nodes = new List<(long At, int IsReturn, int Node)>();
        for (int i = 0; i < history.Length; i++)
        {
            nodes.Add((history[i].InvokedAt, 0, i * 2));
            nodes.Add((history[i].ReturnedAt, 1, i * 2 + 1));
        }

        nodes.Sort();
        return [.. nodes.Select(static node => node.Node)];
    }

    private void Unlink(int node)
    {
        _next[_previous[node]] = _next[node];
        _previous[_next[node]] = _previous[node];
    }

    private void Link(int node)
    {
        _next[_previous[node]] = node;
        _previous[_next[node]] = node;
    }
}
