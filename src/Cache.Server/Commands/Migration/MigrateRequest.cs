using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Migration;

/// <summary>What MIGRATE says: where to, with which rights, and how.</summary>
/// <param name="Host">The target's name or address.</param>
/// <param name="Port">Its port.</param>
/// <param name="Database">The number of its database, which it judges itself.</param>
/// <param name="Timeout">The longest that it may be silent.</param>
internal sealed record MigrateRequest(string Host, int Port, long Database, TimeSpan Timeout)
{
    private const int FirstOption = 6;

    // No name or address is so long: what is cut was none.
    private const int HostLengthMax = 256;

    // As Redis's, for zero and less.
    private const long TimeoutMsDefault = 1000;

    // The longest that timers take.
    private const long TimeoutMsMax = int.MaxValue;

    /// <summary>Whether the keys stay here too.</summary>
    public bool IsCopy { get; private init; }

    /// <summary>Whether the target may have the keys.</summary>
    public bool Replaces { get; private init; }

    /// <summary>The arguments of AUTH there; null: it is not asked.</summary>
    public byte[][]? Credentials { get; private init; }

    /// <summary>The index of the first key.</summary>
    public int FirstKey { get; private init; } = 3;

    /// <summary>The number of keys.</summary>
    public int KeyCount { get; private init; } = 1;

    // MIGRATE host port key|"" destination-db timeout [COPY] [REPLACE] [AUTH password | AUTH2 username password]
    // [KEYS key [key ...]]
    /// <summary>Parses it.</summary>
    /// <returns>Null if an error was replied.</returns>
    public static MigrateRequest? TryParse(in RespRequest request, RespReplyWriter reply)
    {
        var options = new MigrateRequest("", 0, 0, default);
        for (int i = FirstOption; i < request.Count; i++)
        {
            int more = request.Count - i - 1;
            if (request[i].Is("COPY"u8))
            {
                options = options with { IsCopy = true };
            }
            else if (request[i].Is("REPLACE"u8))
            {
                options = options with { Replaces = true };
            }
            else if (request[i].Is("AUTH"u8) && more >= 1)
            {
                options = options with { Credentials = [request[++i].ToArray()] };
            }
            else if (request[i].Is("AUTH2"u8) && more >= 2)
            {
                options = options with { Credentials = [request[++i].ToArray(), request[++i].ToArray()] };
            }
            else if (!request[i].Is("KEYS"u8))
            {
                reply.Error(ErrorTexts.Syntax);
                return null;
            }
            else if (request[3].Length > 0)
            {
                reply.Error(
                    "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string"u8);
                return null;
            }
            else
            {
                options = options with { FirstKey = i + 1, KeyCount = more };
                break;
            }
        }

        return TryParsePlace(request, options, reply);
    }

    private static MigrateRequest? TryParsePlace(in RespRequest request, MigrateRequest options, RespReplyWriter reply)
    {
        if (!RespInteger.TryParse(request[5], out long timeoutMs)
            || !RespInteger.TryParse(request[4], out long database))
        {
            reply.Error(ErrorTexts.NotAnInteger);
            return null;
        }

        // Of another port than 1 to 65535 the connection fails.
        bool isPort = RespInteger.TryParse(request[2], out long port) && port is > 0 and <= ushort.MaxValue;
        return options with
        {
            Host = Encoding.UTF8.GetString(request[1][..Math.Min(request[1].Length, HostLengthMax)]),
            Port = isPort ? (int)port : 0,
            Database = database,
            Timeout = TimeSpan.FromMilliseconds(
                timeoutMs <= 0 ? TimeoutMsDefault : Math.Min(timeoutMs, TimeoutMsMax)),
        };
    }
}
