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
/// <param name="Limit">Above 1, with a negative last: only so many parts of the rest have keys.</param>
/// <param name="Flags">What the command does with them, in Redis's words.</param>
internal sealed record KeySpecification(int First, int Last, int Step, int Limit, string[] Flags)
{
    private const string VariableFlags = "variable_flags";

    // Of SET without its option GET.
    private static readonly string[] _overwriting = ["OW", "update"];

    private readonly bool _isVariable = Array.IndexOf(Flags, VariableFlags) >= 0;
    private readonly string[] _flags = Array.FindAll(Flags, static flag => flag != VariableFlags);
    private readonly AclKeyAccess _access = AccessOf(Flags);

    public static KeySpecification Read(JsonElement specification)
    {
        var range = specification.GetProperty("find_keys").GetProperty("spec");
        return new KeySpecification(
            specification.GetProperty("begin_search").GetProperty("spec").GetProperty("index").GetInt32(),
            range.GetProperty("lastkey").GetInt32(),
            range.GetProperty("keystep").GetInt32(),
            range.GetProperty("limit").GetInt32(),
            specification.GetProperty("flags").ReadStrings());
    }

    /// <summary>The index of the last key among so many words; it may lie behind them.</summary>
    public int LastOf(int count)
    {
        if (Last >= 0)
            return First + Last;
        return Limit <= 1 ? count + Last : First + ((count - First) / Limit) + Last;
    }

    /// <summary>What a request does with the keys, in Redis's words.</summary>
    public string[] FlagsIn(in RespRequest request, int start) => IsOverwriting(request, start) ? _overwriting : _flags;

    /// <summary>What a request does with the values of the keys.</summary>
    public AclKeyAccess AccessIn(in RespRequest request, int start) =>
        IsOverwriting(request, start) ? AclKeyAccess.Write : _access;

    // SET alone has flags that vary: it reads the key only if its option GET is there.
    private bool IsOverwriting(in RespRequest request, int start)
    {
        if (!_isVariable)
            return false;
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
