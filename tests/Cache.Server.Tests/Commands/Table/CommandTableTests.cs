using System.Text;
using System.Text.Json;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;

namespace Cache.Server.Tests.Commands.Table;

public sealed class CommandTableTests
{
    private static readonly JsonElement _reference = ReadReference();

    public static TheoryData<string> Names() => [.. CommandTable.Default.All.Select(command => command.Name)];

    // The reference is recorded from Redis, and generate-command-tables.py makes the tables from it.
    [Theory]
    [MemberData(nameof(Names))]
    public void Row_OfCommand_IsTheReferencesRow(string name)
    {
        var command = CommandTable.Default.FindFull(Encoding.ASCII.GetBytes(name));

        Assert.NotNull(command);
        Assert.Equal(FindReferenceRow(name).GetRawText(), command.Row.GetRawText());
    }

    [Fact]
    public void AclTable_Commands_AreThoseOfTheReference()
    {
        var expected = _reference.EnumerateArray().Select(DescribeRule).Order(StringComparer.Ordinal);
        var actual = AclCommandTable.Default.All.Select(
            command => $"{command.Name} {command.Categories:x} {command.Parent?.Name}");

        Assert.Equal(expected, actual.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Constructor_HandlerMissing_Throws()
    {
        var bindings = CommandFamilies.Bindings.Where(binding => binding.Name != "get").ToList();

        var exception = Assert.Throws<InvalidOperationException>(
            () => CommandBinding.Bind(CommandTable.Default, bindings));
        Assert.Equal("The command get has no handler.", exception.Message);
    }

    [Fact]
    public void Constructor_HandlerWithoutRow_Throws()
    {
        CommandHandler handler = CommandFamilies.Handlers.Of(CommandTable.Default.Get);

        var exception = Assert.Throws<InvalidOperationException>(
            () => CommandBinding.Bind(
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

    private static JsonElement ReadReference()
    {
        using var stream = typeof(CommandTableTests).Assembly.GetManifestResourceStream("commands.json")!;
        using var document = JsonDocument.Parse(stream);
        return document.RootElement.Clone();
    }

    private static JsonElement FindReferenceRow(string name) =>
        _reference.EnumerateArray().Single(row => row.GetProperty("name").GetString() == name);

    private static string DescribeRule(JsonElement row)
    {
        string name = row.GetProperty("name").GetString()!;
        uint categories = 0;
        foreach (var category in row.GetProperty("acl").EnumerateArray())
            categories |= AclCategories.Find(category.GetString()![1..]);
        int bar = name.IndexOf('|', StringComparison.Ordinal);
        return $"{name} {categories:x} {(bar < 0 ? "" : name[..bar])}";
    }
}
