using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Keys;

/// <summary>The options of RESTORE.</summary>
/// <param name="Replaces">Whether the key may be there.</param>
/// <param name="IsAbsolute">Whether the time is a moment of the wall clock.</param>
internal readonly record struct RestoreOptions(bool Replaces, bool IsAbsolute)
{
    private const int First = 4;
    private const int FrequencyMax = 255;
    private const long None = -1;

    /// <summary>Parses them; idle time and frequency are checked, and then forgotten: the store counts uses.</summary>
    /// <returns>False if an error was replied.</returns>
    public static bool TryParse(in RespRequest request, RespReplyWriter reply, out RestoreOptions options)
    {
        options = default;
        long idle = None;
        long frequency = None;
        for (int i = First; i < request.Count; i++)
        {
            bool hasNext = i + 1 < request.Count;
            if (request[i].Is("REPLACE"u8))
            {
                options = options with { Replaces = true };
            }
            else if (request[i].Is("ABSTTL"u8))
            {
                options = options with { IsAbsolute = true };
            }
            else if (request[i].Is("IDLETIME"u8) && hasNext && frequency == None)
            {
                if (!TryParse(
                    request[++i], long.MaxValue, "ERR Invalid IDLETIME value, must be >= 0"u8, reply, out idle))
                {
                    return false;
                }
            }
            else if (request[i].Is("FREQ"u8) && hasNext && idle == None)
            {
                if (!TryParse(
                    request[++i], FrequencyMax, "ERR Invalid FREQ value, must be >= 0 and <= 255"u8, reply,
                    out frequency))
                {
                    return false;
                }
            }
            else
            {
                reply.Error(ErrorTexts.Syntax);
                return false;
            }
        }

        return true;
    }

    /// <summary>How the entry is written.</summary>
    /// <param name="ttl">Milliseconds, or a moment; 0: it never expires.</param>
    /// <param name="store">The store.</param>
    /// <param name="isPast">Whether the moment has passed: then nothing is written.</param>
    public EntryOptions EntryOptionsOf(long ttl, CacheStore store, out bool isPast)
    {
        var options = new EntryOptions { Condition = Replaces ? SetCondition.Always : SetCondition.IfAbsent };
        isPast = false;
        if (ttl == 0)
            return options;
        if (IsAbsolute)
        {
            isPast = ttl <= store.TimeProvider.GetUtcNow().ToUnixTimeMilliseconds();
            return options with { ExpiresAtUnixMs = ttl };
        }

        // Redis's sum overflows: the moment is long past then.
        isPast = ttl > long.MaxValue - store.NowMs;
        return isPast ? options : options with { ExpiresAtMs = ttl + store.NowMs };
    }

    private static bool TryParse(
        ReadOnlySpan<byte> argument, long max, ReadOnlySpan<byte> error, RespReplyWriter reply, out long number)
    {
        if (!RespInteger.TryParse(argument, out number))
            reply.Error(ErrorTexts.NotAnInteger);
        else if (number < 0 || number > max)
            reply.Error(error);
        else
            return true;
        return false;
    }
}
