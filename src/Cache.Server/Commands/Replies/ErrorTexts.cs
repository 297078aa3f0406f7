using System.Globalization;
using System.Text;

namespace Cache.Server.Commands.Replies;

/// <summary>The errors that several commands reply with, in the words of Redis 7.0.</summary>
internal static class ErrorTexts
{
    public static ReadOnlySpan<byte> Unblocked => "UNBLOCKED client unblocked via CLIENT UNBLOCK"u8;

    public static ReadOnlySpan<byte> Busy =>
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."u8;

    public static ReadOnlySpan<byte> BusyWithFunction =>
        "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."u8;

    /// <summary>Before <see cref="Busy"/>, where EXEC is refused.</summary>
    public static ReadOnlySpan<byte> ExecAbort => "EXECABORT Transaction discarded because of: "u8;

    public static ReadOnlySpan<byte> Syntax => "ERR syntax error"u8;

    public static ReadOnlySpan<byte> WrongType =>
        "WRONGTYPE Operation against a key holding the wrong kind of value"u8;

    public static ReadOnlySpan<byte> NotAnInteger => "ERR value is not an integer or out of range"u8;

    public static ReadOnlySpan<byte> NotAFloat => "ERR value is not a valid float"u8;

    /// <summary>Of a count whose sign says whether elements may repeat.</summary>
    public static ReadOnlySpan<byte> NotANegatable =>
        "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807"u8;

    public static ReadOnlySpan<byte> NotPositive => "ERR value is out of range, must be positive"u8;

    public static ReadOnlySpan<byte> InvalidCursor => "ERR invalid cursor"u8;

    public static ReadOnlySpan<byte> NotAnInt32 =>
        "ERR value is out of range, value must between -2147483648 and 2147483647"u8;

    public static ReadOnlySpan<byte> StringTooLong =>
        "ERR string exceeds maximum allowed size (proto-max-bulk-len)"u8;

    public static ReadOnlySpan<byte> OutOfMemory => "OOM command not allowed when used memory > 'maxmemory'."u8;

    /// <summary>This server's own: Redis has longer ones.</summary>
    public static ReadOnlySpan<byte> CollectionTooLong =>
        "OOM a collection of more than 4096 bytes in all is not supported by this server"u8;

    public static ReadOnlySpan<byte> ChannelDenied =>
        "NOPERM this user has no permissions to access one of the channels used as arguments"u8;

    public static ReadOnlySpan<byte> KeyDenied =>
        "NOPERM this user has no permissions to access one of the keys used as arguments"u8;

    public static ReadOnlySpan<byte> TooManyClients => "ERR max number of clients reached"u8;

    /// <summary>Redis's own words.</summary>
    public static ReadOnlySpan<byte> ProtectedMode =>
        "DENIED Redis is running in protected mode because protected mode is enabled and no password is "u8
        + "set for the default user. In this mode connections are only accepted from the loopback "u8
        + "interface. If you want to connect from external computers to Redis you may adopt one of the "u8
        + "following solutions: 1) Just disable protected mode sending the command 'CONFIG SET "u8
        + "protected-mode no' from the loopback interface by connecting to Redis from the same host the "u8
        + "server is running, however MAKE SURE Redis is not publicly accessible from internet if you do "u8
        + "so. Use CONFIG REWRITE to make this change permanent. 2) Alternatively you can just disable "u8
        + "the protected mode by editing the Redis configuration file, and setting the protected mode "u8
        + "option to 'no', and then restarting the server. 3) If you started the server manually just for "u8
        + "testing, restart it with the '--protected-mode no' option. 4) Setup a an authentication "u8
        + "password for the default user. NOTE: You only need to do one of the above things in order for "u8
        + "the server to start accepting connections from the outside."u8;

    public static ReadOnlySpan<byte> ReplyTooLong =>
        "ERR the reply is longer than client-output-buffer-limit"u8;

    public static ReadOnlySpan<byte> SameObject => "ERR source and destination objects are the same"u8;

    public static ReadOnlySpan<byte> BusyKey => "BUSYKEY Target key name already exists."u8;

    public static ReadOnlySpan<byte> NoSuchKey => "ERR no such key"u8;

    public static ReadOnlySpan<byte> KeyspaceOutOfRange => "ERR DB index is out of range"u8;

    /// <summary>For a request that can never be held, even by an empty store.</summary>
    /// <param name="argumentLength">The length of the argument that is too long; 0: all arguments together are.</param>
    /// <param name="bytesMax">The longest that is allowed.</param>
    public static byte[] RequestTooLong(long argumentLength, long bytesMax)
    {
        var invariant = CultureInfo.InvariantCulture;
        string what = argumentLength == 0
            ? "the request is longer than"
            : string.Create(invariant, $"an argument of {argumentLength} bytes is longer than");
        return Encoding.ASCII.GetBytes(string.Create(
            invariant,
            $"OOM {what} the {bytesMax} bytes that clients may hold (maxmemory-clients, else a share of maxmemory)"));
    }
}
