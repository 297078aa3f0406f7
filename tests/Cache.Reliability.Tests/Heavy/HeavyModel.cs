using System.Globalization;
using Cache.Core;
using Cache.Reliability.Tests.Fuzz;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>What was written last, of which the store may have evicted as much as it says and no more.</summary>
internal sealed class HeavyModel(CacheStore store)
{
    private readonly Dictionary<int, HeavyValue> _values = [];

    // How many entries were seen to be gone that nobody removed.
    private long _lost;

    public int Count => _values.Count;

    public HeavyValue? Find(int key) => _values.TryGetValue(key, out var value) ? value : null;

    /// <summary>The reply that a request deserves which takes place now.</summary>
    public HeavyReply Expect(HeavyRequest request) => new(
        request,
        request.Command == "ECHO" ? [request.Values[0]] : [.. request.Keys.Select(Find)]);

    /// <summary>Takes over what a reply tells, once it is whole.</summary>
    /// <param name="request">The request.</param>
    /// <param name="reply">The reply.</param>
    /// <param name="mayRefuse">Whether there may have been no room for it.</param>
    /// <exception cref="FuzzFailureException">It is not the right one.</exception>
    public void Take(HeavyRequest request, HeavyReply reply, bool mayRefuse)
    {
        string line = reply.FirstLine;
        if (line.StartsWith("-OOM", StringComparison.Ordinal) && request.IsWrite && mayRefuse)
            return;
        switch (request.Command)
        {
            case "SET" or "MSET" when line == "+OK":
                for (int i = 0; i < request.Keys.Length; i++)
                    _values[request.Keys[i]] = request.Values[i];
                break;
            case "APPEND" when line[0] == ':':
                TakeAppended(request, int.Parse(line.AsSpan(1), CultureInfo.InvariantCulture));
                break;
            case "DEL" or "EXISTS" when line[0] == ':':
                TakeCount(request, int.Parse(line.AsSpan(1), CultureInfo.InvariantCulture));
                break;
            case "FLUSHALL" when line == "+OK":
                _values.Clear();
                break;
            case "GET" or "MGET" or "ECHO" when line[0] is '*' or '$':
                foreach (int i in reply.Missing)
                    Lose(request.Keys[i], reply.Values[i]!.Value);
                break;
            default:
                throw new FuzzFailureException($"{request} was answered by {line}.");
        }
    }

    /// <summary>Compares all that is left with the store, which nobody uses meanwhile.</summary>
    /// <exception cref="FuzzFailureException">It is not what was written last.</exception>
    public void CompareAll()
    {
        foreach (var (key, value) in _values.ToArray())
        {
            if (store.GetArray(HeavyRequest.KeyOf(key)) is not { } bytes)
                Lose(key, value);
            else if (!value.Equals(bytes))
                throw new FuzzFailureException($"Of the key {key} another value is there than {value}.");
        }

        if (store.Count != Count)
            throw new FuzzFailureException($"The store holds {store.Count} entries, the model {Count}.");
    }

    private void TakeAppended(HeavyRequest request, int length)
    {
        int key = request.Keys[0];
        var part = request.Values[0];
        if (Find(key) is { } before && length == before.Length + part.Length)
        {
            _values[key] = before with { Length = length };
            if (before.Continuation(part.Length) != part)
                Forget(key); // Another had written it since the part was made: it is no value of the pattern any more.
            return;
        }

        if (length != part.Length)
            throw new FuzzFailureException($"{request} was answered by {length}.");
        if (Find(key) is { } gone)
            Lose(key, gone);
        _values[key] = part;
    }

    private void Forget(int key)
    {
        if (!store.Remove(HeavyRequest.KeyOf(key)))
            Lose(key, _values[key]);
        _values.Remove(key);
    }

    private void TakeCount(HeavyRequest request, int count)
    {
        int known = request.Keys.Count(_values.ContainsKey);
        int gone = known - count;
        if (gone < 0 || gone > MayBeGone)
            throw new FuzzFailureException($"{request} was answered by {count}; {known} had been written.");
        if (request.Command != "DEL")
            return;
        _lost += gone;
        foreach (int key in request.Keys)
            _values.Remove(key);
    }

    private long MayBeGone => store.GetStatistics().Evictions - _lost;

    // Unless another has taken its place meanwhile.
    private void Lose(int key, HeavyValue value)
    {
        if (Find(key) != value)
            return;
        _values.Remove(key);
        _lost++;
        if (MayBeGone < 0)
            throw new FuzzFailureException($"The key {key} is gone, which was not evicted.");
    }
}
