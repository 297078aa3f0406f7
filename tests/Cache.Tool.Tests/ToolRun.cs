namespace Cache.Tool.Tests;

/// <summary>What a run of the command has printed, and its exit code.</summary>
/// <param name="Code">The exit code.</param>
/// <param name="Output">What it printed.</param>
/// <param name="Errors">What it printed as errors.</param>
internal sealed record ToolRun(int Code, string Output, string Errors)
{
    public static ToolRun Of(params string[] words) => At(TimeProvider.System, words);

    public static ToolRun At(TimeProvider time, params string[] words)
    {
        var output = new StringWriter();
        var errors = new StringWriter();
        int code = CacheTool.Run(words, new Report(output), new Report(errors), time);
        return new ToolRun(code, output.ToString(), errors.ToString());
    }

    /// <summary>Requires an exit code, and an error of one line with a text.</summary>
    public void AssertFails(int code, string text)
    {
        Assert.Contains(text, Errors, StringComparison.Ordinal);
        Assert.Equal(1, Errors.Count(static next => next == '\n'));
        Assert.Equal(code, Code);
    }

    /// <summary>Requires the exit code 0, and a text in the output.</summary>
    public void AssertTells(string text)
    {
        Assert.Equal("", Errors);
        Assert.Contains(text, Output, StringComparison.Ordinal);
        Assert.Equal(0, Code);
    }
}
