using Cache.Durability;
using Cache.Testing;
using Cache.Tool.Standalone;

namespace Cache.Hosting.Tests.Standalone;

public sealed class LoadBarTests
{
    private readonly FakeTimeProvider _clock = new();
    private readonly StringWriter _output = new();
    private DurabilityStatus _status = new() { Mode = DurabilityMode.Journal };

    [Theory]
    [InlineData(0, 0, "Loading [..............................]   0 %, 0 records")]
    [InlineData(50, 100, "Loading [###############...............]  50 %, 1,234 records")]
    [InlineData(101, 100, "Loading [##############################] 100 %, 1,234 records")]
    public void Text_OfAState_IsTheLine(long loaded, long total, string expected)
    {
        _status = new DurabilityStatus
        {
            Mode = DurabilityMode.Journal,
            LoadedBytes = loaded,
            LoadTotalBytes = total,
            LoadedRecords = loaded == 0 ? 0 : 1_234,
        };
        Assert.Equal(expected, LoadBar.TextOf(_status));
    }

    [Fact]
    public void Bar_WhileFilesAreLoaded_IsShownAndRemoved()
    {
        var bar = new LoadBar(_output, () => _status, _clock);
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.Empty(_output.ToString());
        _status = _status with { IsLoading = true, LoadedBytes = 1, LoadTotalBytes = 2 };
        _clock.Advance(TimeSpan.FromMilliseconds(200));
        string line = LoadBar.TextOf(_status);
        Assert.Equal($"{line}\r", _output.ToString());
        bar.Dispose();
        Assert.Equal($"{line}\r{new string(' ', line.Length)}\r", _output.ToString());
    }

    // An exception of a timer would end the process.
    [Fact]
    public void Bar_TerminalIsClosed_IsOver()
    {
        using var output = new ClosedTerminal();
        var bar = new LoadBar(output, () => _status, _clock);
        _status = _status with { IsLoading = true, LoadedBytes = 1, LoadTotalBytes = 2 };
        _clock.Advance(TimeSpan.FromMilliseconds(600));
        bar.Dispose();
        Assert.Equal(1, output.Writes);
    }

    [Fact]
    public void Bar_WhereNothingIsLoaded_WritesNothing()
    {
        new LoadBar(_output, () => _status, _clock).Dispose();
        Assert.Empty(_output.ToString());
    }

    private sealed class ClosedTerminal : StringWriter
    {
        public int Writes { get; private set; }

        public override void Write(string? value)
        {
            Writes++;
            throw new IOException("Input/output error");
        }
    }
}
