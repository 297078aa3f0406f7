using System.Buffers;
using System.Text;
using Cache.Server.Metrics;
using Cache.Testing;

namespace Cache.Server.Tests.Metrics;

public sealed class PrometheusWriterTests
{
    private readonly ArrayBufferWriter<byte> _text = new();
    private readonly PrometheusWriter _writer;

    public PrometheusWriterTests() => _writer = new PrometheusWriter(_text);

    private string Text => Encoding.UTF8.GetString(_text.WrittenSpan);

    [Fact]
    public void One_WritesHelpTypeAndValue()
    {
        _writer.One("some_total", MetricKind.Counter, "Some of them.", 42);

        Assert.Equal("# HELP some_total Some of them.\n# TYPE some_total counter\nsome_total 42\n", Text);
    }

    [Theory]
    [InlineData(0, "0")]
    [InlineData(-1, "-1")]
    [InlineData(1.5, "1.5")]
    [InlineData(4503599627370496, "4503599627370496")]
    [InlineData(1e-6, "1E-06")]
    [InlineData(double.NaN, "NaN")]
    [InlineData(double.PositiveInfinity, "+Inf")]
    [InlineData(double.NegativeInfinity, "-Inf")]
    public void Sample_WritesNumbersAsGoReadsThem(double value, string expected)
    {
        _writer.One("one", MetricKind.Gauge, "One.", value);

        Assert.EndsWith($"\none {expected}\n", Text);
        Assert.Equal(value, PrometheusText.Parse(_text.WrittenSpan).Value("one"));
    }

    [Theory]
    [InlineData("plain")]
    [InlineData("")]
    [InlineData("a \"quoted\" \\ and a\nline")]
    [InlineData("\\n is no line")]
    [InlineData("Grüße, 世界, 🎈")]
    public void Sample_LabelsSurviveTheWay(string value)
    {
        _writer.Begin("one", MetricKind.Gauge, "One \\ two\nlines.");
        _writer.Sample(1, new MetricLabel("first", value), new MetricLabel("second", "x"));

        var sample = Assert.Single(PrometheusText.Parse(_text.WrittenSpan).Samples);
        Assert.Equal(value, sample.Labels["first"]);
        Assert.Equal("x", sample.Labels["second"]);
    }

    [Fact]
    public void Sample_AllocatesNothing()
    {
        _writer.Begin("one", MetricKind.Gauge, "One.");
        _text.GetSpan(1 << 20);

        long allocated = AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
                _writer.Sample(i + 0.5, new MetricLabel("first", "value"));
        });

        Assert.Equal(0, allocated);
    }
}
