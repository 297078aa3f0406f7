namespace Cache.Scripting.Translation;

/// <content>Statements.</content>
internal sealed partial class Translator
{
    private void Block()
    {
        Enter();
        bool isLast = false;
        while (!isLast && !IsBlockEnd())
        {
            isLast = Statement();
            TryPass(";");
        }

        Leave();
    }

    private bool IsBlockEnd() => _lexer.Kind == TokenKind.End
        || _lexer.Is("else") || _lexer.Is("elseif") || _lexer.Is("end") || _lexer.Is("until");

    /// <returns>Whether it must be the last one of its block.</returns>
    private bool Statement()
    {
        int line = _lexer.Line;
        if (_lexer.Kind != TokenKind.Keyword)
        {
            ExpressionStatement();
            return false;
        }

        switch (_lexer.Value)
        {
            case "if":
                If(line);
                return false;
            case "while":
                While(line);
                return false;
            case "do":
                Pass();
                Block();
                ExpectEnd("end", "do", line);
                return false;
            case "for":
                For(line);
                return false;
            case "repeat":
                Repeat(line);
                return false;
            case "function":
                Function(line);
                return false;
            case "local":
                Local(line);
                return false;
            case "return":
                Return();
                return true;
            case "break":
                if (_loops.Peek() == 0)
                    throw BreakOutside();
                Pass();
                return true;
            default:
                throw _lexer.Fail("unexpected symbol");
        }
    }

    // As in Lua 5.1, which looks at it when the word is passed.
    private LuaSyntaxException BreakOutside()
    {
        _lexer.Next();
        return _lexer.Fail("no loop to break");
    }

    private void If(int line)
    {
        do
        {
            Pass();
            Expression();
            Expect("then");
            Block();
        }
        while (_lexer.Is("elseif"));
        if (TryPass("else"))
            Block();
        ExpectEnd("end", "if", line);
    }

    private void While(int line)
    {
        Pass();
        Expression();
        Expect("do");
        LoopBlock();
        ExpectEnd("end", "while", line);
    }

    private void Repeat(int line)
    {
        Pass();
        LoopBlock();
        ExpectEnd("until", "repeat", line);
        Expression();
    }

    private void LoopBlock()
    {
        _loops.Push(_loops.Pop() + 1);
        Block();
        _loops.Push(_loops.Pop() - 1);
    }

    private void For(int line)
    {
        Pass();
        PassVariable();
        if (TryPass("="))
        {
            Bound();
            Expect(",");
            Bound();
            if (TryPass(","))
                Bound();
        }
        else if (_lexer.Is(",") || _lexer.Is("in"))
        {
            while (TryPass(","))
                PassVariable();
            Expect("in");
            int start = _output.Length;
            List();
            Wrap(start, " _F51(");
        }
        else
        {
            throw _lexer.Fail("'=' or 'in' expected");
        }

        Expect("do");
        LoopBlock();
        ExpectEnd("end", "for", line);
    }

    private void Bound()
    {
        int start = _output.Length;
        if (Expression() != Form.Number)
            Wrap(start, " _N51(");
    }

    private void Function(int line)
    {
        Pass();
        PassVariable();
        while (TryPass("."))
            PassName();
        if (TryPass(":"))
            PassName();
        Body(line);
    }

    private void PassName()
    {
        if (TakeName() == "goto")
            throw _lexer.Fail("a function cannot have this name here");
        Pass();
    }

    private void Local(int line)
    {
        Pass();
        if (TryPass("function"))
        {
            PassVariable();
            Body(line);
            return;
        }

        do
            PassVariable();
        while (TryPass(","));
        if (TryPass("="))
            List();
    }

    private void Return()
    {
        Pass();
        if (IsBlockEnd() || _lexer.Is(";"))
            return;
        int start = _output.Length;
        if (List() == Form.Call)
            Wrap(start, " _P51(");
    }

    private void ExpressionStatement()
    {
        var form = Primary();
        if (form == Form.Call)
        {
            _output.Append(';'); // The next one may begin with a parenthesis.
            return;
        }

        Assignment(form);
    }

    private void Assignment(Form form)
    {
        while (true)
        {
            if (form is not (Form.Name or Form.Field))
                throw _lexer.Fail("syntax error");
            if (!TryPass(","))
                break;
            form = Primary();
        }

        Expect("=");
        List();
    }
}
