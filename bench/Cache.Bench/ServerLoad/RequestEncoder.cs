using System.Text;

namespace Cache.Bench.ServerLoad;

/// <summary>Writes GET and SET of a numbered key: a template in which digits and value change.</summary>
/// <remarks>All keys have the same length, and so have all requests of a kind. Immutable, for any thread.</remarks>
internal sealed class RequestEncoder
{
    public const int KeyBytesMin = 4;

    // Enough for the ids of any memory; the rest of a longer key is a fixed beginning.
    private const int DigitsMax = 12;

    private readonly byte[] _get;
    private readonly byte[] _setHead;
    private readonly int _digits;

    // Where the last digit stands, from the template's end.
    private readonly int _digitsEndInSetHead;
    private readonly ValuePattern _values;

    public RequestEncoder(int keyBytes, ValuePattern values)
    {
        _values = values;
        _digits = DigitsOf(keyBytes);
        string key = "key:".PadRight(keyBytes, '0')[..(keyBytes - _digits)] + new string('0', _digits);
        string valueHeader = $"\r\n${values.ValueBytes}\r\n";
        _get = Encoding.ASCII.GetBytes($"*2\r\n$3\r\nGET\r\n${keyBytes}\r\n{key}\r\n");
        _setHead = Encoding.ASCII.GetBytes($"*3\r\n$3\r\nSET\r\n${keyBytes}\r\n{key}{valueHeader}");
        _digitsEndInSetHead = _setHead.Length - valueHeader.Length;
    }

    public int RequestBytesMax => _setHead.Length + _values.ValueBytes + CrLf.Length;

    private static ReadOnlySpan<byte> CrLf => "\r\n"u8;

    /// <summary>How many keys of this length can be told apart.</summary>
    public static long KeysMax(int keyBytes) => (long)Math.Pow(10, DigitsOf(keyBytes));

    /// <returns>How many bytes were written.</returns>
    public int WriteGet(Span<byte> output, long id)
    {
        _get.CopyTo(output);
        WriteDigits(output[..(_get.Length - CrLf.Length)], id);
        return _get.Length;
    }

    /// <inheritdoc cref="WriteGet"/>
    public int WriteSet(Span<byte> output, long id, uint version)
    {
        _setHead.CopyTo(output);
        WriteDigits(output[.._digitsEndInSetHead], id);
        var value = output.Slice(_setHead.Length, _values.ValueBytes);
        _values.Write(value, id, version);
        CrLf.CopyTo(output[(_setHead.Length + value.Length)..]);
        return _setHead.Length + value.Length + CrLf.Length;
    }

    private static int DigitsOf(int keyBytes) => Math.Min(keyBytes, DigitsMax);

    // Over the zeros of the template, from the last digit on.
    private static void WriteDigits(Span<byte> output, long id)
    {
        int end = output.Length;
        for (ulong rest = (ulong)id; rest != 0; rest /= 10)
            output[--end] = (byte)('0' + rest % 10);
    }
}
