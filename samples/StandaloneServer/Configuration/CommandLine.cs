using System.CommandLine;

namespace StandaloneServer.Configuration;

/// <summary>The command line: a configuration file, --name value for every directive, and where JSON is.</summary>
internal sealed class CommandLine
{
    private const string Origin = "command line";

    private static readonly ParserConfiguration _parsing = new()
    {
        // A password may begin with @.
        ResponseFileTokenReplacer = null,
        EnablePosixBundling = false,
    };

    private readonly Argument<string?> _configFile = new("config-file")
    {
        Description = "A file in the form of redis.conf.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<string?> _configJson = new("--config-json")
    {
        Description = "A JSON file with a section \"Cache\". [default: appsettings.json, if there is one]",
        HelpName = "path",
    };

    private readonly List<Option> _directives = [.. DirectiveTable.All.Select(ToOption)];
    private readonly RootCommand _root = new(
        "An in-memory cache that speaks the protocol of Redis. Later sources win: defaults, the file, JSON, "
        + "environment variables (CACHE_MAXMEMORY), the command line.");

    private ParseResult? _result;

    public CommandLine()
    {
        _root.Add(_configFile);
        _root.Add(_configJson);
        foreach (var option in _directives)
            _root.Add(option);
        _root.TreatUnmatchedTokensAsErrors = false;
        _root.SetAction(static _ => { });
    }

    public string? ConfigFile { get; private set; }

    public string? ConfigJson { get; private set; }

    public IReadOnlyList<Setting> Settings { get; private set; } = [];

    /// <summary>Reads the arguments.</summary>
    /// <returns>False if help or the version was asked for, and was written.</returns>
    /// <exception cref="SettingException">An argument is unknown or lacks its value.</exception>
    public bool TryParse(IReadOnlyList<string> arguments)
    {
        _result = _root.Parse(arguments, _parsing);
        ConfigFile = _result.GetValue(_configFile);
        foreach (string token in (string[])[ConfigFile ?? "", .. _result.UnmatchedTokens])
            RefuseUnknownOption(token);
        if (_result.UnmatchedTokens is [var word, ..])
            throw new SettingException($"{Origin}: '{word}' is one word too many; there is one configuration file.");
        if (_result.Errors is [var error, ..])
            throw new SettingException($"{Origin}: {error.Message}");
        if (_result.Action is not null && _result.Action != _root.Action)
        {
            _result.Invoke();
            return false;
        }

        ConfigJson = _result.GetValue(_configJson);
        Settings = [.. ReadDirectives(_result)];
        return true;
    }

    private IEnumerable<Setting> ReadDirectives(ParseResult result)
    {
        foreach (var option in _directives)
        {
            if (result.GetResult(option) is { Implicit: false } given)
            {
                string[] values = [.. given.Tokens.Select(static token => token.Value)];
                yield return new Setting(option.Name[2..], SplitOne(option, values), Origin);
            }
        }
    }

    // --bind "127.0.0.1 ::1" is what --bind 127.0.0.1 ::1 is.
    private static string[] SplitOne(Option option, string[] values) =>
        values is [{ Length: > 0 } text] && DirectiveTable.Find(option.Name[2..]) is { IsList: true } directive
            ? JsonSettings.SplitList(directive, text, Origin)
            : values;

    private static void RefuseUnknownOption(string token)
    {
        if (token.StartsWith("--", StringComparison.Ordinal))
            throw DirectiveTable.Unknown(Origin, token[2..].Split('=')[0], prefix: "--");
    }

    private static Option ToOption(Directive directive)
    {
        string name = $"--{directive.Name}";
        Option option = directive.IsList
            ? new Option<string[]>(name) { AllowMultipleArgumentsPerToken = true, Arity = ArgumentArity.OneOrMore }
            : new Option<string>(name);
        option.Description = $"{directive.Summary} [default: {directive.Default}]";
        option.HelpName = directive.Parameter;
        return option;
    }
}
