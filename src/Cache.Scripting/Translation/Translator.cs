using System.Globalization;
using System.Text;

namespace Cache.Scripting.Translation;

/// <summary>Rewrites a text in Lua 5.1 as one in Lua 5.4 that does the same.</summary>
/// <remarks>
/// A parser of 5.1, which also gives its errors of syntax. It emits the words that it reads, each on its line, and
/// <code>
///  3            3.0                  numbers are floats
///  a .. b       _S51(a) .. _S51(b)   with 5.1's text of numbers
///  #a           (0.0+ #a)
///  for i = a    for i = _N51(a)      texts are numbers there
///  for k in a   for k in _F51(a)     5.4 would close a fourth value
///  return f()   return _P51(f())     so that errors know the caller's line
///  goto, _ENV   other names          they mean something in 5.4
/// </code>
/// The text comes inside of a function whose locals are these helpers and the environment.
/// </remarks>
internal sealed partial class Translator
{
    // As in Lua 5.1: a deeper text is refused. Each level takes some frames of the thread's stack.
    private const int DepthMax = 200;

    private const int UnaryPriority = 8;

    private const string Head = "local _S51,_N51,_F51,_P51,_ENV=... return function(...) ";

    private static readonly Dictionary<string, (int Left, int Right)> _priorities = new(StringComparer.Ordinal)
    {
        ["+"] = (6, 6),
        ["-"] = (6, 6),
        ["*"] = (7, 7),
        ["/"] = (7, 7),
        ["%"] = (7, 7),
        ["^"] = (10, 9),
        [".."] = (5, 4),
        ["~="] = (3, 3),
        ["=="] = (3, 3),
        ["<"] = (3, 3),
        ["<="] = (3, 3),
        [">"] = (3, 3),
        [">="] = (3, 3),
        ["and"] = (2, 2),
        ["or"] = (1, 1),
    };

    private readonly Lexer _lexer;
    private readonly StringBuilder _output = new(Head);
    private readonly Stack<bool> _varargs = new([true]);
    private readonly Stack<int> _loops = new([0]);
    private int _line = 1;
    private int _depth;

    private Translator(string text, string chunkName)
    {
        _lexer = new Lexer(text, chunkName);
        _lexer.Next();
    }

    // What an expression is, as far as its wrapping is concerned.
    private enum Form
    {
        Other,
        Number,
        Text,
        Name,
        Field,
        Call,
        Vararg,
    }

    /// <summary>Translates a text; chars are bytes.</summary>
    /// <param name="text">In Lua 5.1.</param>
    /// <param name="chunkName">What errors call it.</param>
    /// <returns>A text whose value is the function, once it is called with the helpers.</returns>
    /// <exception cref="LuaSyntaxException">It is no Lua 5.1; the message is that of Lua.</exception>
    public static string Translate(string text, string chunkName)
    {
        var translator = new Translator(text, chunkName);
        translator.Block();
        if (translator._lexer.Kind != TokenKind.End)
            throw translator._lexer.Fail("'<eof>' expected");
        translator._output.Append(" end");
        return translator._output.ToString();
    }

    private void Enter()
    {
        if (++_depth > DepthMax)
            throw _lexer.Fail("chunk has too many syntax levels", near: null);
    }

    private void Leave() => _depth--;

    // Writes a word on its line.
    private void Emit(string word)
    {
        for (; _line < _lexer.Line; _line++)
            _output.Append('\n');
        _output.Append(' ').Append(word);
    }

    private void EmitAndNext(string word)
    {
        Emit(word);
        _lexer.Next();
    }

    private void Pass() => EmitAndNext(_lexer.Value);

    private bool TryPass(string word)
    {
        if (!_lexer.Is(word))
            return false;
        Pass();
        return true;
    }

    private void Expect(string word)
    {
        if (!TryPass(word))
            throw _lexer.Fail($"'{word}' expected");
    }

    private void ExpectEnd(string word, string opener, int line)
    {
        if (TryPass(word))
            return;
        throw _lexer.Fail(line == _lexer.Line
            ? $"'{word}' expected"
            : string.Create(CultureInfo.InvariantCulture, $"'{word}' expected (to close '{opener}' at line {line})"));
    }

    private string TakeName()
    {
        if (_lexer.Kind != TokenKind.Name)
            throw _lexer.Fail("<name> expected");
        return _lexer.Value;
    }

    private void PassVariable() => EmitAndNext(TakeName() switch
    {
        "goto" => "_goto51",
        "_ENV" => "_ENV51",
        var name => name,
    });

    // Behind a dot.
    private void PassField()
    {
        string name = TakeName();
        if (name == "goto")
        {
            _output.Remove(_output.Length - 1, 1); // The dot.
            name = "[\"goto\"]";
        }

        EmitAndNext(name);
    }

    private void Wrap(int start, string function)
    {
        _output.Insert(start, function);
        _output.Append(')');
    }

    private void EmitNumber()
    {
        double number = _lexer.Number;
        string text = double.IsInfinity(number) ? "1e999" : number.ToString("R", CultureInfo.InvariantCulture);
        EmitAndNext(text.AsSpan().IndexOfAny('.', 'E', 'e') >= 0 ? text : text + ".0");
    }

    private void EmitText()
    {
        string text = _lexer.Value;
        var quoted = new StringBuilder(text.Length + 2).Append('"');
        foreach (char c in text)
        {
            if (c is >= ' ' and < (char)127 and not ('"' or '\\'))
                quoted.Append(c);
            else
                quoted.Append('\\').Append(((int)c).ToString("D3", CultureInfo.InvariantCulture));
        }

        EmitAndNext(quoted.Append('"').ToString());
    }
}
