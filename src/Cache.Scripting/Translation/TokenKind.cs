namespace Cache.Scripting.Translation;

/// <summary>What a word of a script is.</summary>
internal enum TokenKind
{
    End,
    Name,
    Keyword,
    Number,
    Text,
    Symbol,
}
