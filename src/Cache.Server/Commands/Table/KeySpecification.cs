using System.Text.Json;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>
/// Which arguments of a command are keys, and what it does with them: one of the table's specifications.
/// </summary>
/// <param name="First">The index of the first key.</param>
/// <param name="Last">How far behind it the last one is; negative: counted from the end of the request.</param>
/// <param name="Step">The distance between keys.</param>
/// <param name="Limit">Above 1, with a negative last: only one part in this many of the rest has keys.</param>
/// <param name="Flags">What the command does with them, in Redis's words.</param>
internal sealed record KeySpecification(int First, int Last, int Step, int Limit, string[] Flags)
{
    private const string VariableFlags = "variable_flags";

    // Of SET without its option GET, and of BITFIELD with nothing but GET.
    private static readonly string[] _overwriting = ["OW", "update"];
    private static readonly string[] _reading = ["RO", "access"];

    private readonly bool _isVariable = Array.IndexOf(Flags, VariableFlags) >= 0;
    private readonly string[] _flags = Array.FindAll(Flags, static flag => flag != VariableFlags);
    private readonly AclKeyAccess _access = AccessOf(Flags);

    /// <summary>Whether it is of BITFIELD, whose flags vary with its steps; those of SET vary with an option.</summary>
    public bool IsOfBitField { get; private init; }

    public static KeySpecification Read(JsonElement specification, string commandName)
    {
        var range = specification.GetProperty("find_keys").GetProperty("spec");
        return new KeySpecification(
            specification.GetProperty("begin_search").GetProperty("spec").GetProperty("index").GetInt32(),
            range.GetProperty("lastkey").GetInt32(),
            range.GetProperty("keystep").GetInt32(),
            range.GetProperty("limit").GetInt32(),
            specification.GetProperty("flags").ReadStrings())
        {
            IsOfBitField = commandName == "bitfield",
        };
    }

    /// <summary>The index of the last key in a request of some words; it may lie behind them.</summary>
    public int LastOf(int count)
    {
        if (Last >= 0)
            return First + Last;
        return Limit <= 1 ? count + Last : First + ((count - First) / Limit) + Last;
    }

    /// <summary>What a request does with the keys, in Redis's words.</summary>
    public string[] FlagsIn(in RespRequest request, int start) => !_isVariable ? _flags : VariedIn(request, start);

    /// <summary>What a request does with the values of the keys.</summary>
    public AclKeyAccess AccessIn(in RespRequest request, int start) =>
        !_isVariable ? _access : AccessOf(VariedIn(request, start));

    // SET and BITFIELD alone have flags that vary.
    private string[] VariedIn(in RespRequest request, int start)
    {
        if (IsOfBitField)
            return IsReading(request, start) ? _reading : _flags;
        return IsOverwriting(request, start) ? _overwriting : _flags;
    }

    // BITFIELD of nothing but GET, by Redis's own look at its steps.
    private static bool IsReading(in RespRequest request, int start)
    {
        for (int i = start + 2; i < request.Count;)
        {
            int left = request.Count - i - 1;
            if (request[i].Is("GET"u8) && left >= 2)
                i += 3;
            else if (request[i].Is("OVERFLOW"u8) && left >= 1)
                i += 2;
            else
                return false;
        }

        return true;
    }

    // SET reads the key only if its option GET is there.
    private static bool IsOverwriting(in RespRequest request, int start)
    {
        for (int i = start + 3; i < request.Count; i++)
        {
            if (request[i].Is("GET"u8))
                return false;
        }

        return true;
    }

    // Redis: to learn whether a key exists, or how long its value is, no right is needed but that to name it.
    private static AclKeyAccess AccessOf(string[] flags)
    {
        var access = AclKeyAccess.None;
        foreach (string flag in flags)
        {
            access |= flag switch
            {
                "access" => AclKeyAccess.Read,
                "insert" or "update" or "delete" => AclKeyAccess.Write,
                _ => AclKeyAccess.None,
            };
        }

        return access;
    }
}
