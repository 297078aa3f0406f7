using System.Reflection;

namespace Cache.Documentation.Tests;

/// <summary>The folder that a snippet runs in, with the settings that its page prints beside it.</summary>
internal sealed class SnippetFolder : IDisposable
{
    private readonly string _path = Directory.CreateTempSubdirectory("snippet").FullName;

    public SnippetFolder(Block block)
    {
        if (block.InSection("json").FirstOrDefault() is { } settings)
            File.WriteAllText(Path.Combine(_path, "appsettings.json"), settings.Text);
    }

    /// <summary>Runs the program to its end; what it printed, without what its host logs.</summary>
    public async Task<string> RunAsync(Assembly program, TimeSpan bound)
    {
        string[] args = ["--contentRoot", _path, "--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default", "None"];
        var entry = program.EntryPoint!;
        object?[] parameters = entry.GetParameters().Length == 0 ? [] : [args];
        var console = Console.Out;
        using var printed = new StringWriter();
        Console.SetOut(printed);
        try
        {
            await Task.Run(() => entry.Invoke(null, parameters)).WaitAsync(bound);
        }
        finally
        {
            Console.SetOut(console);
        }

        return printed.ToString();
    }

    public void Dispose() => Directory.Delete(_path, recursive: true);
}
