using System.Globalization;
using System.Text;

namespace Cache.Server.Notifications;

/// <summary>The names of the channels of events.</summary>
internal static class EventChannel
{
    /// <summary>__kind@database__:name</summary>
    public static byte[] Of(ReadOnlySpan<byte> kind, int database, ReadOnlySpan<byte> name) =>
    [
        .. "__"u8, .. kind, (byte)'@', .. Encoding.ASCII.GetBytes(database.ToString(CultureInfo.InvariantCulture)),
        .. "__:"u8, .. name,
    ];
}
