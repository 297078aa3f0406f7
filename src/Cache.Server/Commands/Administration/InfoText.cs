using System.Globalization;
using System.Text;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>The text of INFO: sections of lines "name:value".</summary>
internal sealed class InfoText
{
    private readonly StringBuilder _text = new();

    public void BeginSection(string name)
    {
        if (_text.Length > 0)
            _text.Append("\r\n");
        _text.Append("# ").Append(name).Append("\r\n");
    }

    public void Add(string name, string value) => _text.Append(name).Append(':').Append(value).Append("\r\n");

    public void Add(string name, long value) => Add(name, value.ToString(CultureInfo.InvariantCulture));

    /// <summary>Several fields with the same value.</summary>
    public void AddEach(long value, params ReadOnlySpan<string> names)
    {
        foreach (string name in names)
            Add(name, value);
    }

    /// <summary>A ratio, with two decimals.</summary>
    public void Add(string name, double value, string unit = "") =>
        Add(name, value.ToString("F2", CultureInfo.InvariantCulture) + unit);

    /// <summary>An amount of memory, and in readable form under the name with _human.</summary>
    public void AddMemory(string name, long bytes)
    {
        Add(name, bytes);
        Add(name + "_human", MemorySize.ToHuman(bytes));
    }

    public byte[] ToBytes() => Encoding.UTF8.GetBytes(_text.ToString());
}
