namespace Cache.Scripting.Running;

/// <summary>How Lua calls a text in errors.</summary>
internal static class ChunkName
{
    // As in Lua: of the shown name.
    private const int LengthMax = 60;

    /// <summary>
    /// The shown name: of "=name" and "@name" the rest, of another one the beginning of its first line.
    /// </summary>
    public static string Shorten(string name)
    {
        if (name.Length > 0 && name[0] is '=' or '@')
            return name[1..Math.Min(name.Length, LengthMax)];
        const string Opening = "[string \"";
        const string Closing = "\"]";
        const string Dots = "...";
        int line = name.AsSpan().IndexOfAny('\n', '\r');
        string first = line < 0 ? name : name[..line];
        int room = LengthMax - Opening.Length - Closing.Length - Dots.Length - 1;
        bool isWhole = line < 0 && first.Length <= room;
        return Opening + (isWhole ? first : first[..Math.Min(first.Length, room)] + Dots) + Closing;
    }
}
