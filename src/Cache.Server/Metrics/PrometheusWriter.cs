using System.Buffers;
using System.Buffers.Text;
using System.Diagnostics;
using System.Text;

namespace Cache.Server.Metrics;

/// <summary>Writes metrics in Prometheus's text format, version 0.0.4.</summary>
/// <remarks>
/// A metric is begun once, and all of its samples follow; the format allows no others in between. Writes into the
/// caller's buffer without making texts. For one thread.
/// </remarks>
/// <param name="target">Gets the text, UTF-8.</param>
internal sealed class PrometheusWriter(IBufferWriter<byte> target)
{
    /// <summary>The media type of the text.</summary>
    public const string ContentType = "text/plain; version=0.0.4; charset=utf-8";

    // Longer than any number in the invariant culture.
    private const int NumberBytesMax = 32;

    // A char is at most three bytes of UTF-8, or two of an escape.
    private const int BytesPerChar = 3;

    // Beyond, a double does not tell one integer from the next.
    private const double IntegerMax = 1L << 53;

    private string _metric = "";

    /// <summary>Begins a metric.</summary>
    /// <param name="name">Its name, for which there is no other metric.</param>
    /// <param name="kind">Its type.</param>
    /// <param name="help">What it is, in a sentence.</param>
    public void Begin(string name, MetricKind kind, string help)
    {
        Debug.Assert(name.All(static one => char.IsAsciiLetterOrDigit(one) || one == '_'));
        _metric = name;
        Write("# HELP ");
        Write(name);
        Write(" ");
        WriteEscaped(help, isLabel: false);
        Write("\n# TYPE ");
        Write(name);
        Write(kind switch
        {
            MetricKind.Counter => " counter\n",
            MetricKind.Summary => " summary\n",
            MetricKind.Histogram => " histogram\n",
            _ => " gauge\n",
        });
    }

    /// <summary>A metric with one sample.</summary>
    public void One(string name, MetricKind kind, string help, double value)
    {
        Begin(name, kind, help);
        Sample(value);
    }

    /// <summary>A sample of the metric that was begun.</summary>
    public void Sample(double value, params ReadOnlySpan<MetricLabel> labels) => Sample("", value, labels);

    /// <summary>A sample with a suffix of the metric's name: _sum, _count, _bucket.</summary>
    public void Sample(string suffix, double value, params ReadOnlySpan<MetricLabel> labels)
    {
        Debug.Assert(_metric.Length > 0);
        Write(_metric);
        Write(suffix);
        for (int i = 0; i < labels.Length; i++)
        {
            Write(i == 0 ? "{" : ",");
            Write(labels[i].Name);
            Write("=\"");
            WriteEscaped(labels[i].Value, isLabel: true);
            Write("\"");
        }

        Write(labels.Length > 0 ? "} " : " ");
        Write(value);
        Write("\n");
    }

    private void Write(double value)
    {
        if (!double.IsFinite(value))
        {
            Write(double.IsNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
            return;
        }

        var span = target.GetSpan(NumberBytesMax);
        bool isInteger = Math.Abs(value) < IntegerMax && Math.Floor(value) == value;
        int written;
        bool fits = isInteger
            ? Utf8Formatter.TryFormat((long)value, span, out written)
            : Utf8Formatter.TryFormat(value, span, out written);
        Debug.Assert(fits);
        target.Advance(written);
    }

    private void Write(string text)
    {
        var span = target.GetSpan(text.Length * BytesPerChar);
        target.Advance(Encoding.UTF8.GetBytes(text, span));
    }

    private void WriteEscaped(string text, bool isLabel)
    {
        while (true)
        {
            int next = isLabel ? text.AsSpan().IndexOfAny('\\', '\n', '"') : text.AsSpan().IndexOfAny('\\', '\n');
            if (next < 0)
                break;
            Write(text[..next]);
            Write(text[next] switch { '\n' => "\\n", '"' => "\\\"", _ => @"\\" });
            text = text[(next + 1)..];
        }

        Write(text);
    }
}
