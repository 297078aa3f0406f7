using System.Diagnostics;

namespace Cache.Server.Protocol;

/// <summary>
/// A parsed request: the command's name and its arguments, as parts of the input. Valid as long as the input.
/// </summary>
internal readonly ref struct RespRequest
{
    private readonly ReadOnlySpan<byte> _input;
    private readonly ReadOnlySpan<ArgumentRange> _arguments;
    private readonly ReadOnlySpan<byte> _elsewhere;

    /// <param name="input">Bytes that begin with the request's first byte.</param>
    /// <param name="arguments">The arguments, the command's name first; at least one.</param>
    /// <param name="elsewhere">The argument in memory of its own, if there is one.</param>
    public RespRequest(
        ReadOnlySpan<byte> input, ReadOnlySpan<ArgumentRange> arguments, ReadOnlySpan<byte> elsewhere = default)
    {
        Debug.Assert(arguments.Length > 0);
        _input = input;
        _arguments = arguments;
        _elsewhere = elsewhere;
    }

    /// <summary>The number of arguments, the command's name included (Redis's argc).</summary>
    public int Count => _arguments.Length;

    /// <summary>The argument at an index; 0 is the command's name.</summary>
    public ReadOnlySpan<byte> this[int index]
    {
        get
        {
            var argument = _arguments[index];
            Debug.Assert(!argument.IsElsewhere || argument.Length == _elsewhere.Length, "One lies elsewhere, whole.");
            return argument.IsElsewhere ? _elsewhere : _input.Slice(argument.Offset, argument.Length);
        }
    }

    /// <summary>The bytes of the request up to the end of its last argument.</summary>
    public long Length
    {
        get
        {
            int last = _arguments.Length - 1;
            if (_arguments[last].IsElsewhere)
                last--;
            return last < 0
                ? _elsewhere.Length
                : _arguments[last].Offset + (long)_arguments[last].Length + _elsewhere.Length;
        }
    }

    /// <summary>The bytes up to the end of its last argument, without one that is elsewhere.</summary>
    public ReadOnlySpan<byte> Bytes => _input[..(int)(Length - _elsewhere.Length)];

    /// <summary>The places of its arguments.</summary>
    public ReadOnlySpan<ArgumentRange> Arguments => _arguments;

    /// <summary>Whether an argument is in memory of its own.</summary>
    public bool IsElsewhere(int index) => _arguments[index].IsElsewhere;
}
