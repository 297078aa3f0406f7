using System.Text;
using Cache.Core;
using Cache.Hosting.Configuration;
using Cache.Server;
using Cache.Server.Settings;
using Cache.Testing;
using Cache.Tool.Standalone;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Random options: each is taken, or refused by the one error that says so; nothing else is thrown.</summary>
public sealed class ConfigurationFuzzTests(ITestOutputHelper output)
{
    private const int Texts = 60_000;
    private const int Files = 3_000;
    private const int CommandLines = 300;

    private static readonly string[] _pieces =
    [
        "0", "1", "9", "99999999999999999999", "-1", "+", "kb", "MB", "g", "b", "%", "100%", "25%", " ", "\t", "\"",
        "\\", "\\x4", "\\xff", "#", "=", "--", "-", "yes", "no", "auto", "epoll", "notice", "127.0.0.1",
        "::1", "::*", "*", "localhost", "700", "777", "\u00e4", "\ud800", "\0", "\r", "1.5", "1e3", "0x10", "include",
        "include x.conf", "512mb", "9223372036854775807", "9223372036854775807g",
        .. DirectiveTable.All.Select(static directive => directive.Name),
    ];

    [Fact]
    public void MemorySizes_AnyText_AreAmountsOrNone() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var budget = new FuzzBudget(Texts);
        while (!budget.IsSpent)
        {
            string text = NextText(random, 3);
            if (MemorySize.TryParse(text, whole: CacheOptions.AvailableMemoryBytes, out long bytes))
                Assert.True(bytes >= 0, $"'{text}' is {bytes} bytes.");
            budget.Add(1);
        }
    });

    [Fact]
    [PinnedSeeds(949607897)] // An include whose path had a NUL threw.
    public void ConfigurationFiles_AnyText_AreTakenOrRefusedByTheirLine() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var budget = new FuzzBudget(Files);
        string file = Path.Combine(AppContext.BaseDirectory, $"fuzz-{Guid.NewGuid():N}.conf");
        int taken = 0;
        while (!budget.IsSpent)
        {
            string text = string.Join('\n', Enumerable.Range(0, random.Next(4)).Select(_ => NextLine(random)));
            var encoding = random.Next(2) == 0 ? Encoding.UTF8 : Encoding.Latin1;
            File.WriteAllBytes(file, encoding.GetBytes(text));
            var problems = new List<string>();
            taken += IsTaken(() => ConfigFile.Read(file, problems)) && problems.Count == 0 ? 1 : 0;
            Assert.DoesNotContain("", problems);
            budget.Add(1);
        }

        File.Delete(file);
        output.WriteLine($"{taken} of {budget.Done} files were taken.");
        Assert.NotEqual(0, taken);
    });

    [Fact]
    public void CommandLines_AnyArguments_AreTakenOrRefused() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        var budget = new FuzzBudget(CommandLines);
        int taken = 0;
        while (!budget.IsSpent)
        {
            string[] arguments = [.. Enumerable.Range(0, random.Next(5)).SelectMany(_ => NextOption(random))];
            var line = new CommandLine();
            bool isWhole = false;
            bool isTaken = IsTaken(() => (isWhole = line.TryParse(arguments)) ? line.Settings : []);
            taken += isWhole && isTaken && line.Problems.Count == 0 ? 1 : 0;
            Assert.DoesNotContain("", line.Problems);
            budget.Add(1);
        }

        output.WriteLine($"{taken} of {budget.Done} command lines were taken.");
        Assert.NotEqual(0, taken);
    });

    [Fact]
    public void Lines_WordsQuotedByTheRules_AreReadBack() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < Texts / 10; i++)
        {
            string[] words = [.. Enumerable.Range(0, 1 + random.Next(4)).Select(_ => NextText(random, 3))];
            string line = string.Join(' ', words.Select(Quote));
            Assert.Equal(words, ArgumentSplitter.Split(line));
        }
    });

    // Any other exception is a find.
    private static bool IsTaken(Func<IReadOnlyList<Setting>> read)
    {
        try
        {
            new ProgramSettings(new CacheOptions(), new RespServerOptions()).Apply(read());
            return true;
        }
        catch (SettingException refusal)
        {
            Assert.NotEmpty(refusal.Message);
            return false;
        }
    }

    private static string NextLine(Random random)
    {
        string name = DirectiveTable.All[random.Next(DirectiveTable.All.Count)].Name;
        return random.Next(3) == 0 ? NextText(random, 5) : $"{name} {NextText(random, 3)}";
    }

    // Not --help and --version, which write to the console.
    private static string[] NextOption(Random random)
    {
        string name = "--" + DirectiveTable.All[random.Next(DirectiveTable.All.Count)].Name;
        string text = NextText(random, 3);
        return random.Next(4) switch
        {
            0 => [name],
            1 => [$"{name}={text}"],
            2 => [text.StartsWith("-h", StringComparison.Ordinal) || text == "-" ? "x" : text],
            _ => [name, text],
        };
    }

    private static string NextText(Random random, int piecesMax)
    {
        var text = new StringBuilder();
        for (int i = random.Next(piecesMax + 1); i > 0; i--)
        {
            bool isLetter = random.Next(5) == 0;
            text.Append(isLetter ? ((char)random.Next(1, 0x250)).ToString() : _pieces[random.Next(_pieces.Length)]);
        }

        return text.ToString();
    }

    private static string Quote(string word)
    {
        string escaped = word.Replace("\\", "\\\\", StringComparison.Ordinal);
        return '"' + escaped.Replace("\"", "\\\"", StringComparison.Ordinal) + '"';
    }
}
