namespace Cache.Scripting.Translation;

/// <summary>A text is no Lua 5.1.</summary>
internal sealed class LuaSyntaxException : Exception
{
    public LuaSyntaxException()
    {
    }

    public LuaSyntaxException(string message)
        : base(message)
    {
    }

    public LuaSyntaxException(string message, Exception innerException)
        : base(message, innerException)
    {
    }
}
