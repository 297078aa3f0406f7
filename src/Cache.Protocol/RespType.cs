namespace Cache.Protocol;

/// <summary>What a reply is: its first byte.</summary>
internal enum RespType : byte
{
    None = 0,
    SimpleString = (byte)'+',
    Error = (byte)'-',
    Integer = (byte)':',
    Bulk = (byte)'$',
    Array = (byte)'*',
    Null = (byte)'_',
    Boolean = (byte)'#',
    Double = (byte)',',
    BigNumber = (byte)'(',
    BulkError = (byte)'!',
    Verbatim = (byte)'=',
    Map = (byte)'%',
    Set = (byte)'~',
    Push = (byte)'>',
    Attribute = (byte)'|',
}
