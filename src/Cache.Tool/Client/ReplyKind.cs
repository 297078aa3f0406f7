namespace Cache.Tool.Client;

/// <summary>The kinds of replies.</summary>
internal enum ReplyKind
{
    Null,
    Text,
    Error,
    Number,
    List,
}
