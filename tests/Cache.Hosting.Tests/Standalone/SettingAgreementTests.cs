using Cache.Core;
using Cache.Hosting.Configuration;
using Cache.Server;
using Cache.Server.Settings;
using Microsoft.Extensions.Configuration;
using Cache.Tool.Standalone;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>File, JSON, environment and command line take what CONFIG SET takes, and nothing else.</summary>
public sealed class SettingAgreementTests : IDisposable
{
    private static readonly string[] _values =
    [
        "yes", "no", "YES", "maybe", "0", "1", "-1", "007", "+5", "16", "700", "65535", "65536", "99999999999", "1mb",
        "2mb", "1tb", "25%", "101%", "text", "notice", "allkeys-lfu", "normal 1mb 0 0", "normal 1 0 0", "900 1",
        "1 2 3", "TLSv1.3", "now nosave", "a/b", "{title}", "auto", "local0",
    ];

    private readonly TemporaryFiles _files = new();

    public static TheoryData<string> Directives { get; } =
        [.. DirectiveTable.All.Where(static one => !one.IsRepeated).Select(static one => one.Name)];

    [Theory]
    [MemberData(nameof(Directives))]
    public void Value_IsTakenByAllSourcesOrByNone(string name)
    {
        var kind = DirectiveTable.Find(name)!.Kind;
        foreach (string value in _values)
        {
            bool isTaken = kind.FindProblem(value) is null;
            string line = kind.IsList ? $"{name} {value}" : $"{name} \"{value}\"";
            string path = _files.Write("c.conf", line + "\n");
            var problems = new List<string>();
            var variables = new Dictionary<string, string>
            {
                ["CACHE_" + name.Replace('-', '_').ToUpperInvariant()] = value,
            };
            var commandLine = new CommandLine();
            commandLine.TryParse([$"--{name}", value]);
            var json = new ConfigurationBuilder()
                .AddInMemoryCollection([KeyValuePair.Create($"Cache:{name}", (string?)value)]).Build();

            Assert.Equal((value, isTaken), (value, IsTaken(ConfigFile.Read(path, problems))));
            Assert.Equal((value, isTaken), (value, IsTaken(JsonSettings.Read(json, "a.json", problems))));
            Assert.Equal((value, isTaken), (value, IsTaken(EnvironmentSettings.Read(variables, problems))));
            Assert.Equal((value, isTaken), (value, IsTaken(commandLine.Settings)));
            Assert.Empty(problems);
        }
    }

    public void Dispose() => _files.Dispose();

    // Whether the value itself is: another matter is what goes together.
    private static bool IsTaken(IEnumerable<Setting> settings)
    {
        var setting = Assert.Single(settings);
        var problems = new List<string>();
        new ProgramSettings(new CacheOptions(), new RespServerOptions()).Apply([setting], problems);
        return !problems.Exists(problem => problem.StartsWith($"{setting.Label} is '", StringComparison.Ordinal)
            && problem.Contains(DirectiveTable.Find(setting.Name)!.Kind.Rule, StringComparison.Ordinal));
    }
}
