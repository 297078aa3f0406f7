using System.Globalization;
using Cache.Core;
using Cache.Server.Settings;
using Cache.Server.Tests.Commands;

namespace Cache.Server.Tests.Settings;

/// <summary>Every row by CONFIG GET and SET: its default, the ends of its range, and what lies beyond.</summary>
public sealed class DirectiveTableTests : CommandTestBase
{
    // What the machine or the system says: the store's limit, the working folder, and what is listened on.
    private static readonly string[] _measured = ["maxmemory", "dir", "port", "bind", "databases"];

    public static TheoryData<string> Parameters { get; } =
        [.. DirectiveTable.All.Where(static one => one.IsParameter).Select(static one => one.Name)];

    [Fact]
    public void All_HaveOneRowEach() =>
        Assert.Equal(DirectiveTable.All.Count, DirectiveTable.All.Select(static one => one.Name).Distinct().Count());

    [Fact]
    public void All_DefaultsAreTaken() => Assert.All(
        DirectiveTable.All,
        static one =>
        {
            Assert.Null(one.Kind.FindProblem(one.Default));
            Assert.Equal(one.Default, one.Kind.ToCanonical(one.Default));
        });

    // As a start gives them, with options that say nothing.
    [Theory]
    [MemberData(nameof(Parameters))]
    public async Task ConfigGet_NothingSet_ShowsTheDefault(string name)
    {
        if (_measured.Contains(name))
            return;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        await using var server = new RespServer(store, new RespServerOptions(), null, static () => []);
        var client = new CommandClient(server.State);
        string value = DirectiveTable.Find(name)!.Default;
        Assert.Equal(Pair(name, value), client.Run($"CONFIG GET {name}"));
    }

    [Theory]
    [MemberData(nameof(Parameters))]
    public void ConfigSet_EndsOfTheRange_AreTakenAndShown(string name)
    {
        var directive = DirectiveTable.Find(name)!;
        if (!directive.IsChangeable || directive.IsProtected)
        {
            Assert.Equal(
                Refusal(name, directive.IsProtected ? "can't set protected config" : "can't set immutable config"),
                Client.Call("CONFIG", "SET", name, directive.Default));
            return;
        }

        foreach (string value in EndsOf(directive))
        {
            if (name == DurabilityDirectives.AppendOnly && value == "yes")
                continue; // This server keeps nothing on disk: SaveCommandsTests has one that does.
            Assert.Equal("+OK\r\n", Client.Call("CONFIG", "SET", name, value));
            Assert.Equal(Pair(name, directive.Kind.ToCanonical(value)), Client.Run($"CONFIG GET {name}"));
        }
    }

    [Theory]
    [MemberData(nameof(Parameters))]
    public void ConfigSet_BeyondTheRange_IsRefusedWithItsText(string name)
    {
        var directive = DirectiveTable.Find(name)!;
        if (!directive.IsChangeable || directive.IsProtected)
            return;
        string before = Client.Run($"CONFIG GET {name}");
        foreach (string value in BeyondOf(directive.Kind))
        {
            string problem = Assert.IsType<string>(directive.Kind.FindProblem(value));
            Assert.Equal(Refusal(name, problem), Client.Call("CONFIG", "SET", name, value));
            Assert.Equal(before, Client.Run($"CONFIG GET {name}"));
        }
    }

    [Fact]
    public void NumberKind_OtherForms_AreRefused()
    {
        var kind = new NumberKind(-5, 5);
        Assert.All(["+1", "01", "-0", " 1", "1 ", "1.0", "0x1", ""], text => Assert.NotNull(kind.FindProblem(text)));
        Assert.Equal("argument must be between -5 and 5 inclusive", kind.FindProblem("6"));
        Assert.Equal("argument must be between -5 and 5 inclusive", kind.FindProblem("-6"));
        Assert.Null(kind.FindProblem("-5"));
    }

    [Theory]
    [InlineData("0", "0")]
    [InlineData("700", "700")]
    [InlineData("0700", "700")]
    public void ModeKind_Octal_IsShownAsRedisDoes(string text, string shown)
    {
        var kind = new ModeKind();
        Assert.Null(kind.FindProblem(text));
        Assert.Equal(shown, kind.ToCanonical(text));
        Assert.Equal("argument must be between 0 and 777 inclusive", kind.FindProblem("1000"));
        Assert.Equal("argument couldn't be parsed as an octal number", kind.FindProblem("9"));
    }

    private static IEnumerable<string> EndsOf(Directive directive) => directive.Kind switch
    {
        OneOfKind kind => kind.Names,
        NumberKind kind when directive.Name is not ("port" or "tls-port") => [Text(kind.Min), Text(kind.Max)],
        // To lift the limit of a store to the machine's is a test of its own.
        MemoryKind kind when directive.Name == "maxmemory" => [Text(kind.Min)],
        MemoryKind kind => [Text(kind.Min), Text(kind.Max)],
        _ => [directive.Default],
    };

    private static IEnumerable<string> BeyondOf(ValueKind kind) => kind switch
    {
        OneOfKind => ["", "neither"],
        NumberKind => ["x", .. Outside(kind)],
        MemoryKind => ["x", "-1", .. Outside(kind).Where(static one => one[0] != '-')],
        _ => [],
    };

    private static IEnumerable<string> Outside(ValueKind kind)
    {
        if (kind.Min > long.MinValue && kind.FindProblem(Text(kind.Min - 1)) is not null)
            yield return Text(kind.Min - 1);
        if (kind.Max < long.MaxValue)
            yield return Text(kind.Max + 1);
    }

    private static string Pair(string name, string value) =>
        $"*2\r\n${name.Length}\r\n{name}\r\n${value.Length}\r\n{value}\r\n";

    private static string Refusal(string name, string problem) =>
        $"-ERR CONFIG SET failed (possibly related to argument '{name}') - {problem}\r\n";

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
