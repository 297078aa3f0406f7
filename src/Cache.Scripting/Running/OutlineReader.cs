using System.Globalization;
using System.Text;
using Cache.Scripting.Translation;
using Cache.Server.Scripts;

namespace Cache.Scripting.Running;

/// <summary>
/// Finds out by a script's words whether it is a simple one: no loop, no function of its own, few calls, and none of
/// something that may take long. Then all that it may do is known before it runs.
/// </summary>
/// <remarks>
/// It refuses what it does not know; such a script is as right, and runs alone. What is called stands before its
/// parenthesis by its own name, which nothing in the script assigns or declares, so that it is what it seems to be; and
/// a value is never called, since it may be a function of the library of texts.
/// </remarks>
internal sealed class OutlineReader
{
    /// <summary>The most bytes of the text of a script, or of a function.</summary>
    public const int LengthMax = 4096;

    private const int CallsMax = 64;

    // Each may double the length of a text.
    private const int ConcatenationsMax = 8;

    private static readonly HashSet<string> _refused = new(StringComparer.Ordinal)
    {
        "break", "do", "for", "function", "in", "repeat", "until", "while", "...", ":", "_G", "_ENV", "math", "redis",
        "tonumber", "tostring", "type", "error",
    };

    private static readonly HashSet<string> _functions =
        new(StringComparer.Ordinal) { "tonumber", "tostring", "type", "error" };

    private static readonly HashSet<string> _ofRedis =
        new(StringComparer.Ordinal) { "call", "pcall", "error_reply", "status_reply" };

    private static readonly HashSet<string> _ofMath =
        new(StringComparer.Ordinal) { "abs", "ceil", "floor", "fmod", "max", "min", "pow", "sqrt" };

    // Before a key that is read, where no list of assigned variables can be.
    private static readonly HashSet<string> _before = new(StringComparer.Ordinal)
    {
        "=", "==", "~=", "<", ">", "<=", ">=", "..", "+", "-", "*", "/", "%", "^", "#", "and", "or", "not", "return",
        "if", "elseif",
    };

    // They compare texts, or make numbers of them: both may read all of them.
    private static readonly HashSet<string> _reading = new(StringComparer.Ordinal)
    {
        "==", "~=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "^",
    };

    private readonly List<ScriptWord> _words;
    private readonly string? _keys; // The names of the tables that it is given.
    private readonly string? _arguments;
    private readonly List<ScriptedCall> _calls = [];
    private int _at;
    private int _depth;
    private int _concatenations;
    private int _reads;
    private long _textBytes;

    private OutlineReader(List<ScriptWord> words, string? keys, string? arguments)
    {
        _words = words;
        _keys = keys;
        _arguments = arguments;
    }

    private bool IsWhole => _at >= _words.Count;

    /// <summary>Reads a text that has no error.</summary>
    /// <returns>Null: it is not a simple one.</returns>
    public static ScriptOutline? Read(ReadOnlySpan<byte> text)
    {
        if (text.Length > LengthMax)
            return null;
        var lexer = new Lexer(Encoding.Latin1.GetString(text), "");
        var words = new List<ScriptWord>();
        for (lexer.Next(); lexer.Kind != TokenKind.End; lexer.Next())
            words.Add(new ScriptWord(lexer.Kind, lexer.Value));
        return Read(words, "KEYS", "ARGV");
    }

    /// <summary>Reads the words of a script, or of what a function does.</summary>
    /// <param name="words">Its words.</param>
    /// <param name="keys">What it calls its keys; null: nothing.</param>
    /// <param name="arguments">The same of its arguments.</param>
    /// <returns>Null: it is not a simple one.</returns>
    public static ScriptOutline? Read(List<ScriptWord> words, string? keys, string? arguments)
    {
        if ((keys is not null && _refused.Contains(keys)) || (arguments is not null && _refused.Contains(arguments)))
            return null;
        var reader = new OutlineReader(words, keys, arguments);
        while (!reader.IsWhole)
        {
            if (!reader.TryTake())
                return null;
        }

        return new ScriptOutline(reader._calls, reader._concatenations, reader._textBytes, reader._reads);
    }

    private ScriptWord WordAt(int index) => (uint)index < (uint)_words.Count ? _words[index] : default;

    private bool TryTake()
    {
        var word = WordAt(_at);
        if (word.Kind == TokenKind.Name && !WordAt(_at - 1).Is("."))
        {
            if (word.Value == _keys || word.Value == _arguments)
                return TryTakeGiven(word.Value);
            if (FindFunction() is > 0 and var length)
                return TryTakeCall(length);
        }

        if (word.Kind != TokenKind.Text && _refused.Contains(word.Value) && !WordAt(_at - 1).Is("."))
            return false;
        _concatenations += word.Is("..") ? 1 : 0;
        _reads += word.Kind == TokenKind.Symbol && _reading.Contains(word.Value) ? 1 : 0;
        _textBytes += word.Kind == TokenKind.Text ? word.Value.Length : 0;
        _depth += word.Opens ? 1 : word.Closes ? -1 : 0;
        _at++;
        return _concatenations <= ConcatenationsMax && (!word.IsValue || !IsCalled(_at));
    }

    // How many words a function that may be called has, if a call of it begins here.
    private int FindFunction()
    {
        if (_functions.Contains(WordAt(_at).Value))
            return WordAt(_at + 1).Is("(") ? 1 : 0;
        var names = WordAt(_at).Value switch { "redis" => _ofRedis, "math" => _ofMath, _ => null };
        bool isCall = names is not null && WordAt(_at + 1).Is(".") && names.Contains(WordAt(_at + 2).Value)
            && WordAt(_at + 2).Kind == TokenKind.Name && WordAt(_at + 3).Is("(");
        return isCall ? 3 : 0;
    }

    private bool TryTakeCall(int length)
    {
        bool isCommand = WordAt(_at).Value == "redis" && WordAt(_at + 2).Value is "call" or "pcall";
        _at += length;
        _reads++;
        if (isCommand && !TryAddCall(_at + 1))
            return false;
        _depth++;
        _at++; // The parenthesis.
        return true;
    }

    // KEYS[1] that is read, or #KEYS; the same of ARGV. A function has other names for them.
    private bool TryTakeGiven(string name)
    {
        bool isRead = _depth > 0
            || (WordAt(_at - 1) is { Kind: not TokenKind.Text } last && _before.Contains(last.Value));
        if (WordAt(_at - 1).Is("#") && !WordAt(_at + 1).Is("["))
        {
            _at++;
            return !IsCalled(_at) && !WordAt(_at).Is(".");
        }

        if (!isRead || NumberAt(_at, name) == 0)
            return false;
        _at += 4;
        return !IsCalled(_at) && !WordAt(_at).Is(".") && !WordAt(_at).Is("[");
    }

    // The number of the key, or argument, that is named here; 0: none.
    private int NumberAt(int index, string? name)
    {
        bool isKey = WordAt(index) is { Kind: TokenKind.Name } word && word.Value == name && WordAt(index + 1).Is("[")
            && WordAt(index + 2).Kind == TokenKind.Number && WordAt(index + 3).Is("]");
        return isKey && int.TryParse(
            WordAt(index + 2).Value, NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : 0;
    }

    private bool IsCalled(int index) =>
        WordAt(index) is { Kind: TokenKind.Text } || WordAt(index).Is("(") || WordAt(index).Is("{");

    // The arguments from an index on, up to the parenthesis.
    private bool TryAddCall(int index)
    {
        var words = new List<ScriptedWord>();
        int first = index;
        for (int depth = 1; depth > 0; index++)
        {
            var word = WordAt(index);
            if (word.Kind == TokenKind.End)
                return false;
            depth += word.Opens ? 1 : word.Closes ? -1 : 0;
            if (depth > 1 || (depth == 1 && !word.Is(",")))
                continue;
            if (index > first)
                words.Add(WordOf(first, index));
            first = index + 1;
        }

        _calls.Add(new ScriptedCall(words));
        return words.Count > 0 && words[0].Text is not null && _calls.Count <= CallsMax;
    }

    private ScriptedWord WordOf(int first, int end)
    {
        if (end - first == 1 && WordAt(first).Kind == TokenKind.Text)
            return new ScriptedWord(Encoding.Latin1.GetBytes(WordAt(first).Value), 0);
        bool isGiven = end - first == 1
            ? WordAt(first).Kind == TokenKind.Number : end - first == 4 && NumberAt(first, _arguments) > 0;
        return new ScriptedWord(null, end - first == 4 ? NumberAt(first, _keys) : 0, isGiven);
    }
}
