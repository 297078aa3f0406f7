using System.Text;
using Cache.Server.Settings;

namespace Cache.Server.Notifications;

/// <summary>An event of keys: its class, and its name in Latin letters.</summary>
internal sealed class KeyEvent(EventClasses eventClass, string name)
{
    public static readonly KeyEvent New = new(EventClasses.New, "new");
    public static readonly KeyEvent Miss = new(EventClasses.KeyMiss, "keymiss");
    public static readonly KeyEvent Expired = new(EventClasses.Expired, "expired");
    public static readonly KeyEvent Evicted = new(EventClasses.Evicted, "evicted");
    public static readonly KeyEvent Deleted = new(EventClasses.Generic, "del");
    public static readonly KeyEvent Expire = new(EventClasses.Generic, "expire");
    public static readonly KeyEvent Persist = new(EventClasses.Generic, "persist");
    public static readonly KeyEvent FieldsExpired = new(EventClasses.Hashes, "hexpired");

    // After that of XADD.
    public static readonly KeyEvent StreamTrimmed = new(EventClasses.Streams, "xtrim");

    // A consumer may be made by who reads or claims.
    public static readonly KeyEvent ConsumerMade = new(EventClasses.Streams, "xgroup-createconsumer");

    public EventClasses Class { get; } = eventClass;

    public byte[] Name { get; } = Encoding.ASCII.GetBytes(name);

    public override string ToString() => Encoding.ASCII.GetString(Name);
}
