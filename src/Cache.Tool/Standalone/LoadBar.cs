using System.Globalization;
using System.Text;
using Cache.Durability;

namespace Cache.Tool.Standalone;

/// <summary>Shows on a terminal how much of the files is loaded.</summary>
/// <remarks>The cursor stays at the beginning of the line, so that the next line of the log replaces it.</remarks>
internal sealed class LoadBar : IDisposable
{
    private const int Width = 30;
    private const int Percent = 100;

    // Smooth for the eye, and no work for the terminal.
    private static readonly TimeSpan _period = TimeSpan.FromMilliseconds(200);

    private readonly Lock _gate = new();
    private readonly TextWriter _output;
    private readonly Func<DurabilityStatus> _getStatus;
    private readonly ITimer _timer;
    private int _length;
    private bool _isOver;

    /// <param name="output">The terminal.</param>
    /// <param name="getStatus">Tells what is loaded.</param>
    /// <param name="time">The clock.</param>
    public LoadBar(TextWriter output, Func<DurabilityStatus> getStatus, TimeProvider time)
    {
        (_output, _getStatus) = (output, getStatus);
        _timer = time.CreateTimer(_ => Show(), null, _period, _period);
    }

    /// <summary>Removes it.</summary>
    public void Dispose()
    {
        _timer.Dispose();
        lock (_gate)
        {
            if (!_isOver && _length != 0)
                Write(new string(' ', _length));
            _isOver = true;
        }
    }

    /// <summary>The line for a state.</summary>
    public static string TextOf(DurabilityStatus status)
    {
        double share = Math.Clamp((double)status.LoadedBytes / Math.Max(1, status.LoadTotalBytes), 0, 1);
        int full = (int)(share * Width);
        var text = new StringBuilder("Loading [").Append('#', full).Append('.', Width - full).Append("] ");
        return text.Append(
            CultureInfo.InvariantCulture,
            $"{(int)(share * Percent),3} %, {status.LoadedRecords:N0} records").ToString();
    }

    private void Show()
    {
        lock (_gate)
        {
            var status = _getStatus();
            if (_isOver || !status.IsLoading || status.LoadTotalBytes == 0)
                return;
            string text = TextOf(status);
            _length = Math.Max(_length, text.Length);
            Write(text);
        }
    }

    // A terminal that was closed ends the bar, and not the process, as an exception of a timer would.
    private void Write(string line)
    {
        try
        {
            _output.Write($"{line}\r");
        }
        catch (IOException)
        {
            _isOver = true;
        }
    }
}
