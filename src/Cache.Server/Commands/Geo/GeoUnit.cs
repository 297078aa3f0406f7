using Cache.Server.Commands.Arguments;

namespace Cache.Server.Commands.Geo;

/// <summary>The units of lengths.</summary>
internal static class GeoUnit
{
    public static ReadOnlySpan<byte> Problem => "ERR unsupported unit provided. please use M, KM, FT, MI"u8;

    /// <param name="word">The client's word.</param>
    /// <param name="meters">The unit in meters.</param>
    public static bool TryParse(ReadOnlySpan<byte> word, out double meters)
    {
        meters =
            word.Is("M"u8) ? 1
            : word.Is("KM"u8) ? 1000
            : word.Is("FT"u8) ? 0.3048
            : word.Is("MI"u8) ? 1609.34
            : 0;
        return meters > 0;
    }
}
