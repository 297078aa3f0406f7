using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Strings;

/// <summary>The options of SET and GETEX, in any order.</summary>
internal readonly record struct StringOptions
{
    public SetCondition Condition { get; init; }

    /// <summary>GET: the previous value is the reply.</summary>
    public bool ReturnsPrevious { get; init; }

    /// <summary>KEEPTTL.</summary>
    public bool KeepsTtl { get; init; }

    /// <summary>PERSIST.</summary>
    public bool Persists { get; init; }

    public ExpireUnit ExpireUnit { get; init; }

    /// <summary>The index of the time argument; it is read after all options.</summary>
    public int ExpireIndex { get; init; }

    /// <summary>Reads the options of SET.</summary>
    /// <returns>False if there is a syntax error.</returns>
    public static bool TryParseSet(in RespRequest request, out StringOptions options)
    {
        options = default;
        for (int i = 3; i < request.Count; i++)
        {
            var name = request[i];
            if (name.Is("NX"u8) && options.Condition != SetCondition.IfPresent)
                options = options with { Condition = SetCondition.IfAbsent };
            else if (name.Is("XX"u8) && options.Condition != SetCondition.IfAbsent)
                options = options with { Condition = SetCondition.IfPresent };
            else if (name.Is("GET"u8))
                options = options with { ReturnsPrevious = true };
            else if (name.Is("KEEPTTL"u8) && options.ExpireUnit == ExpireUnit.None)
                options = options with { KeepsTtl = true };
            else if (!options.TryTakeExpiry(request, ref i, out options))
                return false;
        }

        return true;
    }

    /// <summary>Reads the options of GETEX.</summary>
    /// <returns>False if there is a syntax error.</returns>
    public static bool TryParseGet(in RespRequest request, out StringOptions options)
    {
        options = default;
        for (int i = 2; i < request.Count; i++)
        {
            if (request[i].Is("PERSIST"u8) && options.ExpireUnit == ExpireUnit.None)
                options = options with { Persists = true };
            else if (!options.TryTakeExpiry(request, ref i, out options))
                return false;
        }

        return true;
    }

    // The same unit may occur twice, and the last time counts; two different units may not.
    private bool TryTakeExpiry(in RespRequest request, ref int index, out StringOptions options)
    {
        options = this;
        var unit = UnitOf(request[index]);
        bool isNextTaken = unit != ExpireUnit.None && (ExpireUnit == ExpireUnit.None || ExpireUnit == unit);
        if (!isNextTaken || KeepsTtl || Persists || index + 1 == request.Count)
            return false;
        options = options with { ExpireUnit = unit, ExpireIndex = ++index };
        return true;
    }

    private static ExpireUnit UnitOf(ReadOnlySpan<byte> name)
    {
        if (name.Is("EX"u8))
            return ExpireUnit.Seconds;
        if (name.Is("PX"u8))
            return ExpireUnit.Milliseconds;
        if (name.Is("EXAT"u8))
            return ExpireUnit.UnixSeconds;
        return name.Is("PXAT"u8) ? ExpireUnit.UnixMilliseconds : ExpireUnit.None;
    }
}
