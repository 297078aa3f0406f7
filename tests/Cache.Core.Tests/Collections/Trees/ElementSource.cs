using Cache.Core.Layout;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>Random elements that make trees high, or alike, or both.</summary>
internal sealed class ElementSource<TOrder>
    where TOrder : struct, ITreeOrder
{
    private readonly Random _random;
    private readonly int _keys; // How many keys there are; 0: any.
    private readonly int _lengthMax;
    private readonly byte[] _prefix;
    private readonly int _names;

    public ElementSource(Random random)
    {
        _random = random;
        _keys = random.Next(3) switch { 0 => 0, 1 => 3, _ => 1 };
        // Where pages have few elements, and separators are long, a tree of some hundreds is high.
        bool isHigh = random.Next(2) == 0;
        _lengthMax = isHigh ? 1_200 : random.Next(2) == 0 ? 20 : 200;
        _prefix = new byte[isHigh && random.Next(2) == 0 ? 900 : 0];
        _names = isHigh ? 500 : 2_000;
    }

    public Element Next()
    {
        int number = _random.Next(_names);
        byte[] name = new byte[_prefix.Length + 2 + NextLength(number)];
        _prefix.CopyTo(name, 0);
        name[_prefix.Length] = (byte)(number >> 8);
        name[_prefix.Length + 1] = (byte)number;
        name.AsSpan(_prefix.Length + 2).Fill((byte)(number * 7));
        int room = TreeEntry.LengthMax - NameStub.OverheadSize - name.Length;
        byte[] value = TOrder.HasValue ? new byte[_random.Next(room + 1)] : [];
        if (_random.Next(3) > 0 && value.Length > 20)
            value = value[..(value.Length % 20)];
        _random.NextBytes(value);
        return new Element(KeyOf(number), name, value, number % 11 == 0, TOrder.HasValue && _random.Next(10) == 0);
    }

    // The same number has the same name and key.
    private int NextLength(int number)
    {
        int room = TreeEntry.LengthMax - NameStub.OverheadSize - _prefix.Length - 2;
        return (int)((uint)number * 2654435761 % (uint)Math.Min(_lengthMax, room));
    }

    private ulong KeyOf(int number)
    {
        if (TOrder.KeySize == 0)
            return 0;
        ulong key = (ulong)(_keys == 0 ? number : number % _keys + 1) * 0x9E3779B97F4A7C15;
        return TOrder.KeySize == sizeof(uint) ? key >> 32 : key;
    }
}
