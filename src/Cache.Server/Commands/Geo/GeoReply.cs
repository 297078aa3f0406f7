using System.Diagnostics;
using System.Globalization;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Geo;

/// <summary>How points and lengths are written.</summary>
internal static class GeoReply
{

    // A length has up to 308 digits before the point: the unit is at least 0.3 meters, and the earth is small.
    private const int TextLengthMax = 64;

    extension(RespReplyWriter reply)
    {
        /// <summary>Longitude and latitude, each with up to 17 digits behind the point.</summary>
        public void Position(GeoPosition position)
        {
            reply.ArrayHeader(2);
            reply.Coordinate(position.Longitude);
            reply.Coordinate(position.Latitude);
        }

        /// <summary>A length with four digits behind the point, a string in both versions of the protocol.</summary>
        public void Distance(double distance)
        {
            Span<byte> text = stackalloc byte[TextLengthMax];
            reply.Bulk(text[..Format(distance, "F4", text)]);
        }

        private void Coordinate(double degrees)
        {
            Span<byte> text = stackalloc byte[TextLengthMax];
            text = text[..Format(degrees, "F17", text)].TrimEnd((byte)'0').TrimEnd((byte)'.');
            reply.DoubleText(text.SequenceEqual("-0"u8) ? "0"u8 : text);
        }
    }

    private static int Format(double number, string format, Span<byte> text)
    {
        bool isWritten = number.TryFormat(text, out int length, format, CultureInfo.InvariantCulture);
        Debug.Assert(isWritten, "Degrees and lengths on the earth are short.");
        return length;
    }
}
