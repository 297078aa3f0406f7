namespace Cache.Server.Commands;

/// <summary>The errors that more than one command answers with, as Redis 7.0 words them.</summary>
internal static class ErrorTexts
{
    public static ReadOnlySpan<byte> Syntax => "ERR syntax error"u8;

    public static ReadOnlySpan<byte> NotAnInteger => "ERR value is not an integer or out of range"u8;

    public static ReadOnlySpan<byte> NotAFloat => "ERR value is not a valid float"u8;

    public static ReadOnlySpan<byte> NotAnInt32 =>
        "ERR value is out of range, value must between -2147483648 and 2147483647"u8;

    public static ReadOnlySpan<byte> StringTooLong =>
        "ERR string exceeds maximum allowed size (proto-max-bulk-len)"u8;

    public static ReadOnlySpan<byte> OutOfMemory => "OOM command not allowed when used memory > 'maxmemory'."u8;

    public static ReadOnlySpan<byte> SameObject => "ERR source and destination objects are the same"u8;

    public static ReadOnlySpan<byte> NoSuchKey => "ERR no such key"u8;

    public static ReadOnlySpan<byte> KeyspaceOutOfRange => "ERR DB index is out of range"u8;
}
