using System.Globalization;
using System.Text;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>A request of any length, which is made while it is sent.</summary>
/// <param name="command">The command.</param>
/// <param name="keys">The numbers of its keys; none for ECHO.</param>
/// <param name="values">What follows each key; none if nothing does.</param>
internal sealed class HeavyRequest(string command, int[] keys, HeavyValue[] values)
{
    private const int KeyLength = 11;

    private static readonly byte[] _lineEnd = "\r\n"u8.ToArray();

    public string Command { get; } = command;

    public int[] Keys { get; } = keys;

    public HeavyValue[] Values { get; } = values;

    /// <summary>Its length in bytes.</summary>
    public long Length { get; } = LengthOf(command, keys.Length, values);

    /// <summary>Whether its reply is the values that were there.</summary>
    public bool IsRead => Command is "GET" or "MGET" or "ECHO";

    public bool IsWrite => Command is "SET" or "MSET" or "APPEND";

    public static byte[] KeyOf(int number) =>
        Encoding.Latin1.GetBytes(string.Create(CultureInfo.InvariantCulture, $"key:{number:D7}"));

    /// <summary>The same with a value behind each key.</summary>
    public HeavyRequest WithValues(Func<HeavyValue> make) => new(Command, Keys, [.. Keys.Select(_ => make())]);

    public IEnumerable<ReadOnlyMemory<byte>> Parts()
    {
        yield return Bytes($"*{1 + Keys.Length + Values.Length}\r\n${Command.Length}\r\n{Command}\r\n");
        for (int i = 0; i < Math.Max(Keys.Length, Values.Length); i++)
        {
            if (Keys.Length > 0)
                yield return Bytes($"${KeyLength}\r\nkey:{Keys[i]:D7}\r\n");
            if (Values.Length == 0)
                continue;
            yield return Bytes($"${Values[i].Length}\r\n");
            foreach (var part in Values[i].Parts())
                yield return part;
            yield return _lineEnd;
        }
    }

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"{Command} of {Keys.Length} keys, {Length} bytes");

    private static long LengthOf(string command, int keys, HeavyValue[] values)
    {
        long length = Header(1 + keys + values.Length) + Bulk(command.Length) + keys * (long)Bulk(KeyLength);
        foreach (var value in values)
            length += Bulk(value.Length);
        return length;
    }

    private static int Bulk(int length) => Header(length) + length + 2;

    private static int Header(int number) => number.ToString(CultureInfo.InvariantCulture).Length + 3;

    private static byte[] Bytes(FormattableString text) =>
        Encoding.Latin1.GetBytes(text.ToString(CultureInfo.InvariantCulture));
}
