using System.Globalization;
using System.Text;
using Cache.Reliability.Tests.Fuzz;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>The reply to a request as it comes in, compared with what was there when the request took place.</summary>
/// <param name="request">The request.</param>
/// <param name="values">Of a read: the values of its keys; null for an absent one.</param>
internal sealed class HeavyReply(HeavyRequest request, HeavyValue?[] values)
{
    // Longer than any error.
    private const int LineLengthMax = 200;

    private readonly StringBuilder _line = new();
    private readonly List<int> _missing = [];
    private PartStream? _body;
    private int _taken = request.Command == "MGET" ? -1 : 0;

    /// <summary>The first line, without its end; the whole reply if it is no value.</summary>
    public string FirstLine { get; private set; } = "";

    public bool IsComplete { get; private set; }

    /// <summary>Of which keys there was no value, though one had been written.</summary>
    public IReadOnlyList<int> Missing => _missing;

    public HeavyValue?[] Values => values;

    /// <exception cref="FuzzFailureException">They are not the reply.</exception>
    public void Take(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (IsComplete)
                throw Failure($"{bytes.Length} bytes too many");
            bytes = bytes[(_body is null ? TakeLine(bytes) : TakeBody(bytes))..];
        }
    }

    private int TakeLine(ReadOnlySpan<byte> bytes)
    {
        int end = bytes.IndexOf((byte)'\n') + 1;
        _line.Append(Encoding.Latin1.GetString(end > 0 ? bytes[..end] : bytes));
        if (_line.Length > LineLengthMax)
            throw Failure(_line.ToString(0, LineLengthMax));
        if (end == 0)
            return bytes.Length;
        string line = _line.ToString().TrimEnd('\r', '\n');
        _line.Clear();
        if (FirstLine.Length == 0)
            FirstLine = line;
        if (request.IsRead && line[0] != '-')
            TakeHeader(line);
        else
            IsComplete = true;
        return end;
    }

    private void TakeHeader(string line)
    {
        if (_taken < 0)
        {
            if (line != string.Create(CultureInfo.InvariantCulture, $"*{values.Length}"))
                throw Failure(line);
            EndValue();
            return;
        }

        var value = values[_taken];
        if (line == "$-1")
        {
            if (value is not null)
                _missing.Add(_taken);
            EndValue();
        }
        else if (value is { } known && line == string.Create(CultureInfo.InvariantCulture, $"${known.Length}"))
        {
            _body = new PartStream([.. known.Parts(), "\r\n"u8.ToArray()]);
        }
        else
        {
            throw Failure($"{line} for the value {_taken}, which is {value}");
        }
    }

    private int TakeBody(ReadOnlySpan<byte> bytes)
    {
        int count = _body!.Compare(bytes);
        if (count < 0)
            throw Failure($"another value than {values[_taken]}, of the key {_taken}");
        if (_body.IsAtEnd)
        {
            _body.Dispose();
            _body = null;
            EndValue();
        }

        return count;
    }

    private void EndValue() => IsComplete = ++_taken == values.Length;

    private FuzzFailureException Failure(string what) => new($"{request} was answered by {what}.");
}
