using System.CommandLine;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using Cache.Hosting.Configuration;
using Cache.Server;
using Cache.Server.Settings;
using Directive = Cache.Server.Settings.Directive;

namespace Cache.Tool.Standalone;

/// <summary>The command line: a configuration file, --name value for every directive, and where JSON is.</summary>
internal sealed class CommandLine
{
    private const string Origin = "command line";
    private const string Prefix = "--";

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

    private readonly RootCommand _root = new(
        "An in-memory cache that speaks the protocol of Redis. Later sources win: defaults, the file, JSON, "
        + "environment variables (CACHE_MAXMEMORY), the command line.");

    private readonly List<string> _problems = [];

    public CommandLine()
    {
        _root.Add(_configFile);
        _root.Add(_configJson);
        foreach (var directive in DirectiveTable.Meaningful)
            _root.Add(ToOption(directive));
        foreach (var directive in DirectiveTable.WithoutMeaning)
            _root.Add(ToOption(directive));
        _root.SetAction(static _ => { });
        if (_root.Options.OfType<VersionOption>().FirstOrDefault() is { } version)
        {
            version.Aliases.Add("-v");
            version.Description = "Show the version of this server, and of the Redis that it replies as.";
            version.Action = new VersionAction();
        }
    }

    /// <summary>What its user has typed to come here, if that is not the name of the program.</summary>
    public string? CalledAs { get; init; }

    /// <summary>Receives help and the version.</summary>
    public TextWriter? Output { get; init; }

    public string? ConfigFile { get; private set; }

    public string? ConfigJson { get; private set; }

    public IReadOnlyList<Setting> Settings { get; private set; } = [];

    /// <summary>Every argument that is unknown or lacks its value.</summary>
    public IReadOnlyList<string> Problems => _problems;

    /// <summary>Reads the arguments.</summary>
    /// <returns>False if help or the version was asked for, and was written.</returns>
    public bool TryParse(IReadOnlyList<string> arguments)
    {
        var result = _root.Parse(WithoutLackingValues(arguments), _parsing);
        ConfigFile = result.GetValue(_configFile);
        foreach (string token in (string[])[ConfigFile ?? "", .. result.UnmatchedTokens])
        {
            if (IsUnknownOption(token))
                _problems.Add(Unknown(token.Split('=')[0]));
        }

        if (IsUnknownOption(ConfigFile ?? ""))
            ConfigFile = null;

        if (_problems.Count == 0 && result.UnmatchedTokens is [var word, ..])
            _problems.Add($"{Origin}: '{word}' is one word too many; there is one configuration file.");

        // What is left over is an error of the command, and was told of in our words.
        foreach (var error in result.Errors.Where(static error => error.SymbolResult is not CommandResult))
            _problems.Add($"{Origin}: {MessageOf(error)}");
        if (_problems.Count == 0 && result.Action is not null && result.Action != _root.Action)
        {
            Show(result);
            return false;
        }

        ConfigJson = result.GetResult(_configJson) is { Errors: var errors } && errors.Any()
            ? null
            : result.GetValue(_configJson);
        Settings = [.. ReadDirectives(result)];
        return true;
    }

    // Help names the program's file, which nobody types.
    private void Show(ParseResult result)
    {
        if (CalledAs is null)
        {
            result.Invoke();
            return;
        }

        using var text = new StringWriter();
        result.Invoke(new InvocationConfiguration { Output = text });
#pragma warning disable RS0030 // It is a program.
        var output = Output ?? Console.Out;
#pragma warning restore RS0030
        output.Write(text.ToString().Replace(
            $"  {RootCommand.ExecutableName} ", $"  {CalledAs} ", StringComparison.Ordinal));
    }

    // Where a value is forgotten the next option would be taken for it, and what follows for a file; at the end nothing
    // would be missed if the option had a value before. A password may begin with dashes, but is no directive.
    private List<string> WithoutLackingValues(IReadOnlyList<string> arguments)
    {
        var kept = new List<string>();
        for (int i = 0; i < arguments.Count; i++)
        {
            bool lacksValue = i + 1 == arguments.Count || FindOption(arguments[i + 1]) is not null;
            if (lacksValue && FindOption(arguments[i]) is { HasMeaning: true } lacking)
                _problems.Add($"{Origin}: {arguments[i]} needs a value: {lacking.Kind.Missing}.");
            else
                kept.Add(arguments[i]);
        }

        return kept;
    }

    // As above for what is no directive.
    private static string MessageOf(ParseError error) =>
        error.SymbolResult is OptionResult { Tokens.Count: 0, Option: { HelpName: { } parameter } option }
            ? $"{option.Name} needs a value: {parameter}."
            : error.Message;

    private static Directive? FindOption(string argument) =>
        argument.StartsWith(Prefix, StringComparison.Ordinal) ? DirectiveTable.Find(argument[Prefix.Length..]) : null;

    private static bool IsUnknownOption(string token) => token.StartsWith('-') && token.Length > 1;

    private static string Unknown(string option) => option.StartsWith(Prefix, StringComparison.Ordinal)
        ? DirectiveNames.Unknown(Origin, option[Prefix.Length..], Prefix)
        : $"{Origin}: there is no option '{option}'; --help lists all directives.";

    // Each occurrence is a line of a file, as in Redis: where two do not add up the later one counts.
    private IEnumerable<Setting> ReadDirectives(ParseResult result)
    {
        var tokens = result.Tokens;
        for (int i = 0; i < tokens.Count && tokens[i].Type != TokenType.DoubleDash; i++)
        {
            if (tokens[i].Type != TokenType.Option || DirectiveTable.Find(NameOf(tokens[i])) is not { } directive)
                continue;
            string label = $"{Origin}: {tokens[i].Value}";
            int count = 0;
            while (i + 1 < tokens.Count && tokens[i + 1].Type == TokenType.Argument
                && (count == 0 || directive.Kind.IsList))
            {
                i++;
                count++;
            }

            string[] values = [.. tokens.Skip(i + 1 - count).Take(count).Select(static token => token.Value)];
            if (SplitOne(directive, values, label) is { Length: > 0 } split)
                yield return new Setting(directive.Name, split, Origin) { Label = label };
        }
    }

    private static string NameOf(Token token) => token.Value[Prefix.Length..];

    // --bind "127.0.0.1 ::1" is what --bind 127.0.0.1 ::1 is.
    private string[]? SplitOne(Directive directive, string[] values, string label) =>
        values is [{ Length: > 0 } text] ? JsonSettings.SplitList(directive, text, label, _problems) : values;

    private static Option<string[]> ToOption(Directive directive) => new(Prefix + directive.Name)
    {
        AllowMultipleArgumentsPerToken = directive.Kind.IsList,
        Arity = !directive.HasMeaning ? ArgumentArity.ZeroOrMore : ArgumentArity.OneOrMore,
        Description = $"{directive.Meaning} [default: {directive.ShownDefault}]",
        HelpName = directive.Kind.Parameter,
        Hidden = !directive.HasMeaning,
    };

    private sealed class VersionAction : SynchronousCommandLineAction
    {
        public override int Invoke(ParseResult parseResult)
        {
            parseResult.InvocationConfiguration.Output.WriteLine(
                $"cache {RespServer.Version} (replies as Redis {RespServer.RedisVersion})");
            return 0;
        }
    }
}
