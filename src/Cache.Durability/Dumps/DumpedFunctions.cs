using Cache.Durability.Rdb;

namespace Cache.Durability.Dumps;

/// <summary>The payload that FUNCTION DUMP tells, and FUNCTION RESTORE takes: the texts of libraries.</summary>
/// <remarks>
/// <code>
///  245 │ text │ 245 │ text … │ version 2, LE │ CRC-64 of all before 8, LE
/// </code>
/// Source: Redis 7.0's functions.c.
/// </remarks>
internal sealed class DumpedFunctions
{
    private readonly RdbSource _source;
    private readonly long _end;
    private readonly long _bytesMax;

    private DumpedFunctions(byte[] payload, long end, long bytesMax)
    {
        _source = new RdbSource(new MemoryStream(payload)); // As in Redis, whose last text may go beyond the end.
        _end = end;
        _bytesMax = bytesMax;
    }

    /// <summary>Opens a payload, which may come from anybody.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="bytesMax">The most bytes of all texts.</param>
    /// <param name="functions">Its texts, if its end is right.</param>
    /// <returns>What is wrong, as Redis says it; null: nothing so far.</returns>
    public static string? Open(
        ReadOnlySpan<byte> payload, long bytesMax, out DumpedFunctions? functions)
    {
        functions = RdbPayload.TryOpen(payload, out var value)
            ? new DumpedFunctions(payload.ToArray(), value.Length, bytesMax)
            : null;
        return functions is null ? "DUMP payload version or checksum are wrong" : null;
    }

    /// <summary>What is wrong behind the last text that <see cref="ReadCodes"/> gave, as Redis says it.</summary>
    public string? Problem { get; private set; }

    /// <summary>Reads the texts, once: up to the first one that is wrong.</summary>
    public IEnumerable<byte[]> ReadCodes()
    {
        var strings = new RdbStrings(_source);
        long sum = 0;
        while (_source.Offset < _end && Read(strings) is { } code)
        {
            sum += code.Length;
            if (sum > _bytesMax)
            {
                Problem = "the given functions are too long";
                yield break;
            }

            yield return code;
        }
    }

    private byte[]? Read(RdbStrings strings)
    {
        try
        {
            byte[] buffer = [];
            if (_source.ReadByte() == (byte)RdbOpcode.Function)
                return strings.Read(ref buffer).ToArray();
            Problem = "given type is not a function";
        }
        catch (RdbFormatException)
        {
            Problem = "Failed loading library payload";
        }

        return null;
    }

    /// <summary>Makes a payload.</summary>
    public static byte[] Make(IEnumerable<byte[]> codes)
    {
        var payload = new MemoryStream();
        var writer = new RdbWriter(payload, long.MaxValue);
        foreach (byte[] code in codes)
            writer.WriteFunction(code);
        writer.WritePayloadEnd();
        return payload.ToArray();
    }

    /// <summary>Reads all of a payload, which may come from anybody.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="bytesMax">The most bytes of all texts.</param>
    /// <param name="codes">The texts, if it is right.</param>
    /// <returns>What is wrong, as Redis says it; null: nothing.</returns>
    public static string? Read(ReadOnlySpan<byte> payload, long bytesMax, out List<byte[]> codes)
    {
        codes = [];
        if (Open(payload, bytesMax, out var functions) is { } problem)
            return problem;
        codes.AddRange(functions!.ReadCodes());
        return functions.Problem;
    }
}
