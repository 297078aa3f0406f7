using System.Text;
using Cache.Scripting.Translation;
using Cache.Server.Scripts;

namespace Cache.Scripting.Running;

/// <summary>Finds the texts of a library's functions, and which of them are simple.</summary>
/// <remarks>
/// The interpreter tells where a function that was registered stands, and what it shares with others. So nothing has to
/// be known of how it came to be registered: if no other function begins on its line, it is the one that is read here.
/// </remarks>
internal sealed class LibraryReader
{
    // Of a library's text: the words of a longer one would take much memory, and its functions run alone.
    private const int LengthMax = 64 << 10;

    // Keys and arguments.
    private const int ParametersMax = 2;

    private const int Block = -1;
    private const int Bracket = -2;

    private readonly string _text;
    private readonly List<ScriptWord> _words = [];
    private readonly List<(int Start, int End, int Line)> _places = []; // Of the words.

    // By the lines of their parentheses: the first and the last word. Null: several begin there, or it is a method.
    private readonly Dictionary<int, (int First, int Last)?> _functions = [];

    // The names of all variables that may change behind their declaration, and of some that do not.
    private readonly HashSet<string> _assigned = new(StringComparer.Ordinal);

    private LibraryReader(string text) => _text = text;

    /// <summary>Reads a text that has no error.</summary>
    /// <returns>Null: it is too long.</returns>
    public static LibraryReader? Open(ReadOnlySpan<byte> text)
    {
        if (text.Length > LengthMax)
            return null;
        var reader = new LibraryReader(Encoding.Latin1.GetString(text));
        reader.ReadWords();
        reader.FindFunctions();
        return reader;
    }

    /// <summary>Finds a function.</summary>
    /// <param name="line">The line of its parenthesis.</param>
    /// <param name="lastLine">The line of its end.</param>
    /// <param name="shared">What it uses of the variables around it, by names, as it stands in Lua.</param>
    /// <returns>Null: it is not a simple one, or it cannot be known.</returns>
    public FunctionText? Find(int line, int lastLine, IReadOnlyList<KeyValuePair<string, string>> shared)
    {
        if (_functions.GetValueOrDefault(line) is not { } found || _places[found.Last].Line != lastLine)
            return null;
        var text = new StringBuilder();
        foreach (var (name, value) in shared)
        {
            if (_assigned.Contains(name) || IsOfTranslation(name))
                return null;
            text.Append("local ").Append(name).Append('=').Append(value).Append(' ');
        }

        long sharedBytes = text.Length;
        text.Append("return function").Append(_text, _places[found.First].Start, LengthOf(found));
        if (text.Length > OutlineReader.LengthMax || ReadOutline(found) is not { } outline)
            return null;
        outline = outline with { TextBytes = outline.TextBytes + sharedBytes };
        return new FunctionText(line, Encoding.Latin1.GetBytes(text.ToString()), outline);
    }

    private int LengthOf((int First, int Last) found) => _places[found.Last].End - _places[found.First].Start;

    // Of the translator: a function could change what others have.
    private static bool IsOfTranslation(string name) =>
        name.StartsWith('_') && name.EndsWith("51", StringComparison.Ordinal);

    private void ReadWords()
    {
        var lexer = new Lexer(_text, "");
        for (lexer.Next(); lexer.Kind != TokenKind.End; lexer.Next())
        {
            _words.Add(new ScriptWord(lexer.Kind, lexer.Value));
            _places.Add((lexer.Start, lexer.End, lexer.Line));
        }
    }

    private void FindFunctions()
    {
        var open = new Stack<int>(); // Where functions have their parentheses; below zero: a block, a bracket.
        for (int i = 0; i < _words.Count; i++)
        {
            if (_words[i].IsKeyword("function"))
                open.Push(_words.FindIndex(i, static word => word.Is("(")));
            else if (_words[i].IsKeyword("if") || _words[i].IsKeyword("do"))
                open.Push(Block);
            else if (_words[i].Opens)
                open.Push(Bracket);
            else if (_words[i].Closes)
                open.Pop();
            else if (_words[i].IsKeyword("end") && open.Pop() is >= 0 and var first)
                AddFunction(first, i);
            else if (IsAssigned(i, isInBracket: open.Count > 0 && open.Peek() == Bracket))
                _assigned.Add(_words[i].Value);
        }
    }

    // A method has a parameter that does not stand in its text: self, its keys.
    private void AddFunction(int first, int last)
    {
        int line = _places[first].Line;
        bool isMethod = _words[first - 1].Kind == TokenKind.Name && _words[first - 2].Is(":");
        _functions[line] = isMethod || _functions.ContainsKey(line) ? null : (first, last);
    }

    // Whether a variable may change here behind its declaration; of a few words more than do. In brackets there are no
    // statements but those of functions.
    private bool IsAssigned(int index, bool isInBracket)
    {
        if (_words[index].Kind != TokenKind.Name)
            return false;
        var before = index > 0 ? _words[index - 1] : default;
        var behind = index + 1 < _words.Count ? _words[index + 1] : default;
        bool isDeclared = before.IsKeyword("local") && behind.Is("=");
        bool isInList = !isDeclared && !isInBracket && (behind.Is("=") || behind.Is(","));
        return isInList || before.IsKeyword("function");
    }

    private ScriptOutline? ReadOutline((int First, int Last) found)
    {
        var names = new List<string>();
        int at = found.First + 1;
        for (; !_words[at].Is(")"); at++)
        {
            if (!_words[at].Is(","))
                names.Add(_words[at].Value); // Or three dots, which are refused.
        }

        var words = _words.GetRange(at + 1, found.Last - at - 1);
        bool isOwn = words.Exists(static word => word.Kind == TokenKind.Name && IsOfTranslation(word.Value));
        if (isOwn || names.Count > ParametersMax || names.Distinct(StringComparer.Ordinal).Count() < names.Count)
            return null;
        return OutlineReader.Read(words, names.ElementAtOrDefault(0), names.ElementAtOrDefault(1));
    }
}
