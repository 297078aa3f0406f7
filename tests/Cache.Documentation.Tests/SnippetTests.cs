using System.Text.Json;

namespace Cache.Documentation.Tests;

/// <summary>What README and docs print compiles and runs as it is printed, `using` lines included.</summary>
public sealed class SnippetTests
{
    // Beyond this a snippet hangs; on a busy machine a host starts in a few seconds.
    private static readonly TimeSpan s_bound = TimeSpan.FromMinutes(2);

    public static IEnumerable<TheoryDataRow<string>> CSharp => Page.Places("csharp");

    public static IEnumerable<TheoryDataRow<string>> Json => Page.Places("json");

    [Theory]
    [MemberData(nameof(CSharp))]
    public async Task CSharp_CompilesAndRuns(string place)
    {
        var block = Page.Find(place);
        var (program, errors) = SnippetCompiler.Compile(block.Text, block.Surroundings);
        Assert.True(program != null, $"{place} does not compile:\n{string.Join('\n', errors)}");

        using var folder = new SnippetFolder(block);
        using var host = new SnippetHost();
        string printed = await folder.RunAsync(program!, s_bound);
        Assert.True(host.Problems.Count == 0, $"{place}:\n{string.Join('\n', host.Problems)}");
        if (block.Text.Contains("Run()") || block.Text.Contains("RunAsync()") || block.Surroundings == "web")
            Assert.Equal(1, host.Started);
        if (block.InSection("text").FirstOrDefault(text => text.Line > block.Line) is { Marker: "printed" } expected)
            Assert.Equal(expected.Text, printed);
    }

    [Theory]
    [MemberData(nameof(Json))]
    public void Json_IsRead(string place)
    {
        var options = new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip };
        using var read = JsonDocument.Parse(Page.Find(place).Text, options);
        Assert.Equal(JsonValueKind.Object, read.RootElement.ValueKind);
    }

    [Fact]
    public void Pages_HaveSnippets() =>
        Assert.True(CSharp.Count() > 15, $"{CSharp.Count()} C# blocks were found.");

    [Fact]
    public void Blocks_NameTheirLanguage() =>
        Assert.Empty(
            from page in Page.All
            from block in page.Blocks
            where block.Language.Length == 0
            select block.Place);

    [Theory]
    [InlineData("var builder = WebApplication.CreateBuilder(args);\nbuilder.Services.AddCash();\n", "AddCash")]
    [InlineData("using var store = new CacheStore(new CacheOptions());\n", "CacheStore")]
    public void Compile_WhatWouldNotCompileForItsReader_IsAnError(string text, string culprit)
    {
        var (program, errors) = SnippetCompiler.Compile(text, surroundings: null);
        Assert.Null(program);
        Assert.Contains(errors, error => error.Contains(culprit, StringComparison.Ordinal));
    }
}
