using Cache.Durability.Rdb;

namespace Cache.Durability.Dumps;

/// <summary>The payload that FUNCTION DUMP tells, and FUNCTION RESTORE takes: the texts of libraries.</summary>
/// <remarks>
/// <code>
///  245 │ text │ 245 │ text … │ version 2, LE │ CRC-64 of all before 8, LE
/// </code>
/// Source: Redis 7.0's functions.c.
/// </remarks>
internal static class DumpedFunctions
{
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

    /// <summary>Reads a payload, which may come from anybody.</summary>
    /// <param name="payload">The payload.</param>
    /// <param name="bytesMax">The most bytes of all texts.</param>
    /// <param name="codes">The texts, if it is right.</param>
    /// <returns>What is wrong, as Redis says it; null: nothing.</returns>
    public static string? Read(ReadOnlySpan<byte> payload, long bytesMax, out List<byte[]> codes)
    {
        codes = [];
        if (!RdbPayload.TryOpen(payload, out var value))
            return "DUMP payload version or checksum are wrong";
        var source = new RdbSource(new MemoryStream(value.ToArray()));
        var strings = new RdbStrings(source);
        byte[] buffer = [];
        long sum = 0;
        try
        {
            while (source.Offset < value.Length)
            {
                if (source.ReadByte() != (byte)RdbOpcode.Function)
                    return "given type is not a function";
                byte[] code = strings.Read(ref buffer).ToArray();
                sum += code.Length;
                if (sum > bytesMax)
                    return "the given functions are too long";
                codes.Add(code);
            }

            return null;
        }
        catch (RdbFormatException)
        {
            return "Failed loading library payload";
        }
    }
}
