using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Net;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>The stand-alone server as a process of its own, and the lines that it writes.</summary>
internal sealed class StandaloneProcess : IAsyncDisposable
{
    // Of a busy machine; a server that needs longer to start, to answer or to end has failed.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private const string ReadyText = "Ready to accept connections on ";

    private readonly Process _process;
    private readonly ConcurrentQueue<string> _lines = new();
    private readonly SemaphoreSlim _arrived = new(0);

    private StandaloneProcess(Process process) => _process = process;

    /// <summary>All lines until now.</summary>
    public IReadOnlyCollection<string> Lines => _lines;

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    /// <summary>Starts the server, whose working folder is that of the test's files.</summary>
    public static StandaloneProcess Start(string folder, params string[] arguments) =>
        StartProgram(folder, Host, [Program, .. arguments]);

    /// <summary>Starts a script, which gets the program and its first argument as $0 and $@.</summary>
    public static StandaloneProcess StartByShell(string folder, string script) =>
        StartProgram(folder, "sh", ["-c", File.ReadAllText(script), Host, Program]);

    private static string Host => Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";

    private static string Program => Path.Combine(AppContext.BaseDirectory, "StandaloneServer.dll");

    private static StandaloneProcess StartProgram(string folder, string program, string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        var one = new StandaloneProcess(new Process { StartInfo = start });
        one._process.OutputDataReceived += one.OnLine;
        one._process.ErrorDataReceived += one.OnLine;
        one._process.Start();
        one._process.BeginOutputReadLine();
        one._process.BeginErrorReadLine();
        return one;
    }

    /// <summary>Waits until it listens, and connects.</summary>
    public async Task<TestClient> ConnectAsync()
    {
        string line = await WaitForAsync(ReadyText);
        string text = line[(line.IndexOf(ReadyText, StringComparison.Ordinal) + ReadyText.Length)..];
        return await TestClient.ConnectAsync(IPEndPoint.Parse(text));
    }

    /// <summary>Waits for a line with that text in it.</summary>
    public async Task<string> WaitForAsync(string text)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            foreach (string line in _lines)
            {
                if (line.Contains(text, StringComparison.Ordinal))
                    return line;
            }

            bool isLate = Stopwatch.GetElapsedTime(start) > Patience
                || !await _arrived.WaitAsync(Patience, TestContext.Current.CancellationToken);
            bool hasEnded = _process.HasExited && _arrived.CurrentCount == 0;
            Assert.False(
                isLate || hasEnded,
                $"No line '{text}' {(hasEnded ? $"until it ended with {_process.ExitCode}" : "in time")} in {this}");
        }
    }

    /// <summary>Sends a signal by its name, without SIG.</summary>
    public async Task SignalAsync(string name)
    {
        // The shell's own: a small Debian has no program of that name.
        string id = Id.ToString(CultureInfo.InvariantCulture);
        using var kill = Process.Start("sh", ["-c", $"kill -s {name} {id}"]);
        await kill.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, kill.ExitCode);
    }

    /// <summary>Waits for its end, when all that it wrote is among the lines.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> WaitForExitAsync()
    {
        await _process.WaitForExitAsync(TestContext.Current.CancellationToken).WaitAsync(Patience);
        return _process.ExitCode;
    }

    public override string ToString() => string.Join('\n', _lines);

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
            _process.Kill();
        await _process.WaitForExitAsync(CancellationToken.None);
        _process.Dispose();
        _arrived.Dispose();
    }

    private void OnLine(object sender, DataReceivedEventArgs e)
    {
        if (e.Data is null)
            return;
        _lines.Enqueue(e.Data);
        _arrived.Release();
    }
}
