using System.Globalization;
using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Geo;

/// <summary>Points and lengths as clients write them.</summary>
internal static class GeoArguments
{
    /// <summary>Reads a point.</summary>
    /// <param name="request">The request.</param>
    /// <param name="index">The index of the longitude, which the latitude follows.</param>
    /// <param name="position">The point.</param>
    /// <returns>The error; empty if there is none.</returns>
    public static ReadOnlySpan<byte> ReadPosition(scoped in RespRequest request, int index, out GeoPosition position)
    {
        position = default;
        if (!CDouble.TryParseScore(request[index], out double longitude)
            || !CDouble.TryParseScore(request[index + 1], out double latitude))
        {
            return ErrorTexts.NotAFloat;
        }

        position = new GeoPosition(longitude, latitude);
        return position.IsValid ? default : NotOnTheMap(position);
    }

    /// <summary>Reads a length, its unit behind it.</summary>
    /// <returns>The error; empty if there is none.</returns>
    public static ReadOnlySpan<byte> ReadCircle(scoped in RespRequest request, int index, out GeoShape shape)
    {
        shape = default;
        if (!CDouble.TryParseScore(request[index], out double radius))
            return "ERR need numeric radius"u8;
        if (radius < 0)
            return "ERR radius cannot be negative"u8;
        if (!GeoUnit.TryParse(request[index + 1], out double unit))
            return GeoUnit.Problem;
        shape = GeoShape.Circle(radius, unit);
        return default;
    }

    /// <summary>Reads a width and a height, their unit behind them.</summary>
    /// <returns>The error; empty if there is none.</returns>
    public static ReadOnlySpan<byte> ReadBox(scoped in RespRequest request, int index, out GeoShape shape)
    {
        shape = default;
        if (!CDouble.TryParseScore(request[index], out double width))
            return "ERR need numeric width"u8;
        if (!CDouble.TryParseScore(request[index + 1], out double height))
            return "ERR need numeric height"u8;
        if (width < 0 || height < 0)
            return "ERR height or width cannot be negative"u8;
        if (!GeoUnit.TryParse(request[index + 2], out double unit))
            return GeoUnit.Problem;
        shape = GeoShape.Box(width, height, unit);
        return default;
    }

    private static byte[] NotOnTheMap(GeoPosition position) => Encoding.ASCII.GetBytes(
        $"ERR invalid longitude,latitude pair {Text(position.Longitude)},{Text(position.Latitude)}");

    // As C's %f, which writes all digits of large numbers.
    private static string Text(double number) =>
        double.IsInfinity(number) ? number > 0 ? "inf" : "-inf" : number.ToString("F6", CultureInfo.InvariantCulture);
}
