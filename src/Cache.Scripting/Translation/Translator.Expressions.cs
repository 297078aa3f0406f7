namespace Cache.Scripting.Translation;

/// <content>Expressions.</content>
internal sealed partial class Translator
{
    private Form Expression(int limit = 0)
    {
        Enter();
        int start = _output.Length;
        var form = UnaryOrSimple();
        while (_lexer.Kind is TokenKind.Symbol or TokenKind.Keyword
            && _priorities.TryGetValue(_lexer.Value, out var priority) && priority.Left > limit)
        {
            bool isConcat = _lexer.Is("..");
            if (isConcat && form != Form.Text)
                Wrap(start, " _S51(");
            Pass();
            int right = _output.Length;
            form = Expression(priority.Right);
            if (isConcat && form != Form.Text)
                Wrap(right, " _S51(");
            form = isConcat ? Form.Text : Form.Other; // What was joined is a text.
        }

        Leave();
        return form;
    }

    private Form UnaryOrSimple()
    {
        if (_lexer.Is("#"))
        {
            Emit("(0.0+");
            Pass();
            Expression(UnaryPriority);
            _output.Append(')');
            return Form.Other;
        }

        if (!_lexer.Is("-") && !_lexer.Is("not"))
            return Simple();
        Pass();
        Expression(UnaryPriority);
        return Form.Other;
    }

    private Form Simple()
    {
        switch (_lexer.Kind)
        {
            case TokenKind.Number:
                EmitNumber();
                return Form.Number;
            case TokenKind.Text:
                EmitText();
                return Form.Text;
        }

        if (_lexer.Is("nil") || _lexer.Is("true") || _lexer.Is("false"))
        {
            Pass();
            return Form.Other;
        }

        if (_lexer.Is("..."))
        {
            if (!_varargs.Peek())
                throw _lexer.Fail("cannot use '...' outside a vararg function");
            Pass();
            return Form.Vararg;
        }

        if (_lexer.Is("{"))
        {
            Table();
            return Form.Other;
        }

        if (!_lexer.Is("function"))
            return Primary();
        int line = _lexer.Line;
        Pass();
        Body(line);
        return Form.Other;
    }

    private Form Primary()
    {
        var form = Prefix();
        while (true)
        {
            if (_lexer.Is("."))
            {
                Pass();
                PassField();
                form = Form.Field;
            }
            else if (_lexer.Is("["))
            {
                Index();
                form = Form.Field;
            }
            else if (_lexer.Is(":"))
            {
                Pass();
                if (TakeName() == "goto")
                    throw _lexer.Fail("a method cannot have this name here");
                Pass();
                Arguments();
                form = Form.Call;
            }
            else if (_lexer.Is("(") || _lexer.Is("{") || _lexer.Kind == TokenKind.Text)
            {
                Arguments();
                form = Form.Call;
            }
            else
            {
                return form;
            }
        }
    }

    private Form Prefix()
    {
        if (_lexer.Is("("))
        {
            int line = _lexer.Line;
            Pass();
            Expression();
            ExpectEnd(")", "(", line);
            return Form.Other;
        }

        if (_lexer.Kind != TokenKind.Name)
            throw _lexer.Fail("unexpected symbol");
        PassVariable();
        return Form.Name;
    }

    private void Index()
    {
        Pass();
        Expression();
        Expect("]");
    }

    private void Arguments()
    {
        if (_lexer.Kind == TokenKind.Text)
        {
            EmitText();
            return;
        }

        if (_lexer.Is("{"))
        {
            Table();
            return;
        }

        if (!_lexer.Is("("))
            throw _lexer.Fail("function arguments expected");
        int line = _lexer.Line;
        if (line != _lexer.LastLine)
            throw _lexer.Fail("ambiguous syntax (function call x new statement)");
        Pass();
        if (!_lexer.Is(")"))
            List();
        ExpectEnd(")", "(", line);
    }

    private Form List()
    {
        var form = Expression();
        while (TryPass(","))
        {
            Expression();
            form = Form.Other;
        }

        return form;
    }

    private void Table()
    {
        int line = _lexer.Line;
        Pass();
        while (!_lexer.Is("}"))
        {
            Item();
            if (!TryPass(",") && !TryPass(";"))
                break;
        }

        ExpectEnd("}", "{", line);
    }

    private void Item()
    {
        if (_lexer.Is("["))
        {
            Index();
            Expect("=");
            Expression();
            return;
        }

        if (_lexer.Kind != TokenKind.Name)
        {
            Expression();
            return;
        }

        // A name is a key if an equality sign follows: what was written of it is looked at again.
        int start = _output.Length;
        int line = _line;
        string name = _lexer.Value;
        var form = Expression();
        if (form != Form.Name || !_lexer.Is("="))
            return;
        _output.Length = start;
        _line = line;
        Emit($"[\"{name}\"]");
        Pass();
        Expression();
    }

    private void Body(int line)
    {
        Expect("(");
        _varargs.Push(false);
        _loops.Push(0);
        if (!_lexer.Is(")"))
            Parameters();
        Expect(")");
        Block();
        ExpectEnd("end", "function", line);
        _varargs.Pop();
        _loops.Pop();
    }

    private void Parameters()
    {
        do
        {
            if (_lexer.Is("..."))
            {
                _varargs.Pop();
                _varargs.Push(true);
                Pass();
                return;
            }

            if (_lexer.Kind != TokenKind.Name)
                throw _lexer.Fail("<name> or '...' expected");
            PassVariable();
        }
        while (TryPass(","));
    }
}
