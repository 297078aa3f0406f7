using System.Globalization;
using System.Text;

namespace Cache.Scripting.Translation;

/// <summary>Reads the words of a text in Lua 5.1; a char is a byte.</summary>
/// <param name="text">The text.</param>
/// <param name="chunkName">What errors call it.</param>
internal sealed class Lexer(string text, string chunkName)
{
    private const char NoChar = '\uffff';

    private static readonly HashSet<string> _keywords = new(StringComparer.Ordinal)
    {
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not",
        "or", "repeat", "return", "then", "true", "until", "while",
    };

    private readonly StringBuilder _value = new();
    private int _at;
    private int _start;

    /// <summary>The line where the lexer is.</summary>
    public int Line { get; private set; } = 1;

    /// <summary>Where the present word begins.</summary>
    public int Start => _start;

    /// <summary>What is behind the present word.</summary>
    public int End => _at;

    /// <summary>What the present word is.</summary>
    public TokenKind Kind { get; private set; }

    /// <summary>The present word as it stands; of a text what it means.</summary>
    public string Value { get; private set; } = "";

    /// <summary>The value of a number.</summary>
    public double Number { get; private set; }

    /// <summary>The line of the word before.</summary>
    public int LastLine { get; private set; } = 1;

    private char Present => _at < text.Length ? text[_at] : NoChar;

    private char Following => _at + 1 < text.Length ? text[_at + 1] : NoChar;

    /// <summary>Goes to the next word.</summary>
    public void Next()
    {
        LastLine = Line;
        SkipBlanks();
        _start = _at;
        if (_at == text.Length)
            Set(TokenKind.End, "<eof>");
        else if (IsLetter(Present))
            ReadName();
        else if (IsDigit(Present) || (Present == '.' && IsDigit(Following)))
            ReadNumber();
        else if (Present is '"' or '\'')
            ReadText();
        else if (Present == '[' && FindLevel() is >= 0 and var level)
            Set(TokenKind.Text, ReadLong(level, "string"));
        else
            ReadSymbol();
    }

    /// <summary>Whether the present word is this keyword or symbol.</summary>
    public bool Is(string word) => Kind is TokenKind.Keyword or TokenKind.Symbol && Value == word;

    /// <summary>An error near the present word.</summary>
    public LuaSyntaxException Fail(string message) => Fail(message, Near());

    /// <summary>An error at the present line, near some text; null: near nothing.</summary>
    public LuaSyntaxException Fail(string message, string? near)
    {
        string place = $"{chunkName}:{Line}: {message}";
        return new LuaSyntaxException(near is null ? place : $"{place} near '{near}'");
    }

    private static bool IsDigit(char c) => char.IsAsciiDigit(c);

    private static bool IsLetter(char c) => char.IsAsciiLetter(c) || c == '_';

    private string Near() => Kind switch
    {
        TokenKind.End => "<eof>",
        TokenKind.Symbol when Value[0] < ' ' => string.Create(CultureInfo.InvariantCulture, $"char({(int)Value[0]})"),
        TokenKind.Text or TokenKind.Number => text[_start.._at],
        _ => Value,
    };

    private void Set(TokenKind kind, string value)
    {
        Kind = kind;
        Value = value;
    }

    private void SkipBlanks()
    {
        while (_at < text.Length)
        {
            if (Present is '\n' or '\r')
                SkipLineEnd();
            else if (Present is ' ' or '\t' or '\v' or '\f')
                _at++;
            else if (Present == '-' && Following == '-')
                SkipComment();
            else
                return;
        }
    }

    private void SkipLineEnd()
    {
        char first = Present;
        _at++;
        if (Present is '\n' or '\r' && Present != first)
            _at++;
        Line++;
    }

    private void SkipComment()
    {
        _start = _at;
        _at += 2;
        if (Present == '[' && FindLevel() is >= 0 and var level)
        {
            ReadLong(level, "comment");
            return;
        }

        while (_at < text.Length && Present is not ('\n' or '\r'))
            _at++;
    }

    // The number of equality signs in a long bracket; negative: it is none.
    private int FindLevel()
    {
        int at = _at + 1;
        while (at < text.Length && text[at] == '=')
            at++;
        if (at < text.Length && text[at] == '[')
            return at - _at - 1;
        if (at - _at == 1)
            return -1;
        throw Fail("invalid long string delimiter", text[_at..at]);
    }

    private string ReadLong(int level, string what)
    {
        _at += level + 2;
        _value.Clear();
        if (Present is '\n' or '\r')
            SkipLineEnd();
        while (_at < text.Length)
        {
            if (Present == ']' && IsBracket(']', level))
            {
                _at += level + 2;
                return _value.ToString();
            }

            if (level == 0 && Present == '[' && Following == '[')
                throw Fail("nesting of [[...]] is deprecated", "[");
            if (Present is '\n' or '\r')
            {
                SkipLineEnd();
                _value.Append('\n');
            }
            else
            {
                _value.Append(text[_at++]);
            }
        }

        throw Fail($"unfinished long {what}", "<eof>");
    }

    private bool IsBracket(char bracket, int level)
    {
        int end = _at + level + 1;
        if (end >= text.Length || text[end] != bracket)
            return false;
        for (int i = _at + 1; i < end; i++)
        {
            if (text[i] != '=')
                return false;
        }

        return true;
    }

    private void ReadName()
    {
        while (IsLetter(Present) || IsDigit(Present))
            _at++;
        string name = text[_start.._at];
        Set(_keywords.Contains(name) ? TokenKind.Keyword : TokenKind.Name, name);
    }

    private void ReadNumber()
    {
        while (IsDigit(Present) || Present == '.')
            _at++;
        if (Present is 'e' or 'E')
        {
            _at++;
            if (Present is '+' or '-')
                _at++;
        }

        while (IsLetter(Present) || IsDigit(Present))
            _at++;
        string digits = text[_start.._at];
        Set(TokenKind.Number, digits);
        if (!TryParse(digits, out double number))
            throw Fail("malformed number");
        Number = number;
    }

    private static bool TryParse(string digits, out double number)
    {
        if (!digits.StartsWith("0x", StringComparison.OrdinalIgnoreCase))
        {
            const NumberStyles Styles = NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
            return double.TryParse(digits, Styles, CultureInfo.InvariantCulture, out number);
        }

        number = 0;
        for (int i = 2; i < digits.Length; i++)
        {
            if (!char.IsAsciiHexDigit(digits[i]))
                return false;
            number = number * 16 + Convert.ToInt32(digits[i].ToString(), 16);
        }

        return digits.Length > 2;
    }

    private void ReadText()
    {
        char quote = Present;
        _at++;
        _value.Clear();
        while (Present != quote || _at == text.Length)
        {
            if (_at == text.Length)
                throw Fail("unfinished string", "<eof>");
            if (Present is '\n' or '\r')
                throw Fail("unfinished string", text[_start.._at]);
            if (Present == '\\')
                ReadEscape();
            else
                _value.Append(text[_at++]);
        }

        _at++;
        Set(TokenKind.Text, _value.ToString());
    }

    private void ReadEscape()
    {
        int start = _at;
        _at++;
        if (_at == text.Length)
            return; // The loop says that it is unfinished.
        if (Present is '\n' or '\r')
        {
            SkipLineEnd();
            _value.Append('\n');
            return;
        }

        if (IsDigit(Present))
        {
            ReadCode(start);
            return;
        }

        char escaped = text[_at++];
        _value.Append(escaped switch
        {
            'a' => '\a',
            'b' => '\b',
            'f' => '\f',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\v',
            _ => escaped,
        });
    }

    private void ReadCode(int start)
    {
        int code = 0;
        for (int i = 0; i < 3 && IsDigit(Present); i++, _at++)
            code = code * 10 + (Present - '0');
        if (code > byte.MaxValue)
            throw Fail("escape sequence too large", text[_start..start]);
        _value.Append((char)code);
    }

    private void ReadSymbol()
    {
        int length = 1;
        if (Present is '=' or '<' or '>' or '~' && Following == '=')
            length = 2;
        else if (Present == '.' && Following == '.')
            length = _at + 2 < text.Length && text[_at + 2] == '.' ? 3 : 2;
        _at += length;
        Set(TokenKind.Symbol, text[_start.._at]);
    }
}
