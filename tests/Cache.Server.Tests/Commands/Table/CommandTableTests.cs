using System.Text;
using System.Text.Json;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;

namespace Cache.Server.Tests.Commands.Table;

public sealed class CommandTableTests
{
    // Of Redis 7.2, which clients of our days send.
    private static readonly string[] _later = ["client|setinfo", "client|no-touch"];

    public static TheoryData<string> Names() => [.. CommandTable.Default.All.Select(command => command.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Row_OfCommand_IsRedis7Row(string name)
    {
        if (_later.Contains(name))
            return;
        var command = CommandTable.Default.FindFull(Encoding.ASCII.GetBytes(name));
        Assert.NotNull(command);

        string[] row =
        [
            name.ToUpperInvariant(), Text(command.Arity),
            Text(command.FirstKey), Text(command.LastKey), Text(command.KeyStep),
            Join(command, "flags"), Join(command, "acl"), Docs(command, "group"), Docs(command, "since"),
            Docs(command, "deprecated_since"),
        ];

        Assert.Equal(ReadRedisRow(name), row);
    }

    [Fact]
    public void Constructor_HandlerMissing_Throws()
    {
        var bindings = CommandFamilies.Bindings.Where(binding => binding.Name != "get").ToList();

        var exception = Assert.Throws<InvalidOperationException>(
            () => new CommandHandlers(CommandTable.Default, bindings));
        Assert.Equal("The command get has no handler.", exception.Message);
    }

    [Fact]
    public void Constructor_HandlerWithoutRow_Throws()
    {
        CommandHandler handler = CommandFamilies.Handlers.Of(CommandTable.Default.Get);

        var exception = Assert.Throws<InvalidOperationException>(
            () => new CommandHandlers(
                CommandTable.Default, [.. CommandFamilies.Bindings, new CommandBinding("nosuch", handler)]));
        Assert.Equal("No such row in the command table: nosuch.", exception.Message);
    }

    [Fact]
    public void All_Commands_StandAtTheirIndex()
    {
        for (int i = 0; i < CommandTable.Default.All.Count; i++)
            Assert.Equal(i, CommandTable.Default.All[i].Index);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void FindFull_NameInAnyCase_FindsIt(string name)
    {
        string mixed = string.Concat(name.Select((letter, i) => i % 2 == 0 ? char.ToUpperInvariant(letter) : letter));

        foreach (string form in new[] { name, name.ToUpperInvariant(), mixed })
            Assert.Equal(name, CommandTable.Default.FindFull(Encoding.ASCII.GetBytes(form))?.Name);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void FindFull_NameWithOneBitChanged_FindsOnlyTheOtherCase(string name)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(name);
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            var found = CommandTable.Default.FindFull(bytes);
            if (found is not null)
                Assert.Equal(Encoding.ASCII.GetString(bytes), found.Name, ignoreCase: true);
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("g")]
    [InlineData("ge")]
    [InlineData("get\0")]
    [InlineData("gett")]
    [InlineData("incrbyfloatx")]
    [InlineData("incrbyfloa")]
    [InlineData("expiretimf")]
    [InlineData("client|")]
    [InlineData("client|nosuch")]
    [InlineData("get|id")]
    public void FindFull_OtherName_FindsNothing(string name) =>
        Assert.Null(CommandTable.Default.FindFull(Encoding.Latin1.GetBytes(name)));

    [Fact]
    public void Find_AnyName_AllocatesNothing()
    {
        byte[][] names = ["GET"u8.ToArray(), "incrbyfloat"u8.ToArray(), "nosuch"u8.ToArray()];
        int found = 0;
        Assert.NotNull(CommandTable.Default.Find("get"u8));

        // The least of several rounds, as in AllocationTests.
        long least = long.MaxValue;
        for (int round = 0; round < 5; round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 1000; i++)
            {
                foreach (byte[] name in names)
                    found += CommandTable.Default.Find(name) is null ? 0 : 1;
            }

            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, least);
        Assert.Equal(5 * 2000, found);
    }

    private static string[] ReadRedisRow(string name)
    {
        using var stream = typeof(CommandTableTests).Assembly.GetManifestResourceStream("redis-7.0.15-commands.tsv")!;
        using var reader = new StreamReader(stream);
        reader.ReadLine(); // The heading, which begins with the word command.
        while (reader.ReadLine() is { } line)
        {
            string[] fields = line.Split('\t');
            if (fields[0].Equals(name, StringComparison.OrdinalIgnoreCase))
                return fields;
        }

        throw new InvalidOperationException($"Redis 7.0.15 has no command {name}.");
    }

    private static string Text(int number) => number.ToString(System.Globalization.CultureInfo.InvariantCulture);

    private static string Join(CommandDefinition command, string property) =>
        string.Join(' ', command.Row.GetProperty(property).EnumerateArray().Select(item => item.GetString()));

    private static string Docs(CommandDefinition command, string property) =>
        command.Row.GetProperty("docs").TryGetProperty(property, out JsonElement value) ? value.GetString()! : "";
}
