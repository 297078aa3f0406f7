using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>Enumerates the keys among the arguments of a request, by the table's specifications.</summary>
/// <remarks>Used by ACL and COMMAND GETKEYS; allocates nothing.</remarks>
internal ref struct KeyEnumerator
{
    private readonly KeySpecification[] _specifications;
    private readonly RespRequest _request;
    private readonly int _start;
    private int _next = -1;
    private int _at;
    private int _last = -1;

    /// <param name="command">The command.</param>
    /// <param name="request">A request that has the command's words from an index on.</param>
    /// <param name="start">That index.</param>
    public KeyEnumerator(CommandDefinition command, in RespRequest request, int start)
    {
        _specifications = command.KeySpecifications;
        _request = request;
        _start = start;
    }

    /// <summary>The index of the key in the request.</summary>
    public readonly int Index => _start + _at;

    /// <summary>The access of the request to the key's value.</summary>
    public readonly AclKeyAccess Access => _specifications[_next].AccessIn(_request, _start);

    /// <summary>The access in Redis's words.</summary>
    public readonly string[] Flags => _specifications[_next].FlagsIn(_request, _start);

    public bool MoveNext()
    {
        int from = _at;
        if (_next >= 0)
            _at += _specifications[_next].Step;
        while (_at > _last)
        {
            if (_next < 0 || _specifications[_next].Keyword is null || from == 0)
            {
                from = 0;
                if (++_next == _specifications.Length)
                    return false;
            }

            bool isFound = _specifications[_next].TryFind(_request, _start, from, out int first, out int last);
            (_at, _last) = isFound ? (first, Math.Min(last, _request.Count - _start - 1)) : (0, -1);
            from = 0;
        }

        return true;
    }
}
