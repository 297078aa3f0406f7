using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>A thread that reads a tree in every way, and proves what it read.</summary>
internal sealed class TreeReaderTorture<TOrder>(TortureTree<TOrder> tree, bool validates, Random random)
    where TOrder : struct, ITreeOrder
{
    private const int RangeMax = 40;

    private readonly byte[] _bytes = new byte[TortureTree<TOrder>.BytesMax];
    private readonly int[] _range = new int[RangeMax];

    public long Reads { get; private set; }

    /// <summary>One read.</summary>
    /// <returns>What is wrong with it; null: nothing.</returns>
    public string? Read()
    {
        Reads++;
        int number = random.Next(TortureTree<TOrder>.Numbers);
        return random.Next(4) switch
        {
            0 => ReadByRank(random.NextDouble()),
            1 => ReadRange(number, random.Next(2) == 0),
            _ => Find(number),
        };
    }

    private string? Find(int number)
    {
        int oldest = tree.OldestOf(number);
        byte[] name = TortureTree<TOrder>.NameOf(number);
        var found = new Found { Bytes = _bytes, Key = TortureTree<TOrder>.KeyOf(number), Name = name };
        if (!tree.TryRead(validates, ref found, Find))
            return null; // Writers were always faster.
        if (!found.IsFound)
            return oldest == 0 ? null : $"{number} is missing.";
        int told = TortureTree<TOrder>.Verify(found.Key, found.Copy, out int sequence);
        if (told != number)
            return $"{number} is torn.";
        if (sequence < oldest)
            return $"{number} has sequence {sequence} after {oldest}.";
        return found.Rank == found.Below && found.HasRank ? null : $"{number} has two ranks, or none.";
    }

    private static void Find(TreeReader<TOrder> reader, uint count, ref Found found)
    {
        found.IsFound = TOrder.KeySize == sizeof(uint)
            ? reader.TryFindHash((uint)found.Key, found.Name, out var entry)
            : reader.TryFind(found.Key, found.Name, out entry);
        found.Take(entry);
        found.Below = reader.CountBelow(found.Key, found.Name);
        found.HasRank = reader.TryFindRank(found.Key, found.Name, out uint rank);
        found.Rank = rank;
    }

    private string? ReadByRank(double place)
    {
        var found = new Found { Bytes = _bytes, Place = place };
        if (!tree.TryRead(validates, ref found, FindByRank))
            return null;
        if (!found.IsFound)
            return "There is nothing at a rank.";
        return TortureTree<TOrder>.Verify(found.Key, found.Copy, out _) >= 0 ? null : "What is at a rank is torn.";
    }

    private static void FindByRank(TreeReader<TOrder> reader, uint count, ref Found found)
    {
        var cursor = reader.At((uint)(count * found.Place));
        found.IsFound = cursor.IsValid;
        if (!cursor.IsValid)
            return;
        found.Key = cursor.Key;
        found.Take(cursor.Entry);
    }

    private string? ReadRange(int number, bool isForward)
    {
        var range = new RangeRead
        {
            Numbers = _range,
            Key = TortureTree<TOrder>.KeyOf(number),
            Name = TortureTree<TOrder>.NameOf(number),
            IsForward = isForward,
        };
        if (!tree.TryRead(validates, ref range, ReadRange))
            return null;
        for (int i = 0; i < range.Count; i++)
        {
            if (_range[i] < 0)
                return "An element of a range is torn.";
            if (i == 0)
                continue;
            int first = _range[isForward ? i - 1 : i], second = _range[isForward ? i : i - 1];
            if (!TortureTree<TOrder>.IsBefore(first, second))
                return $"A range has {second} behind {first}.";
            for (int between = first + 1; between < second; between++)
            {
                // Even numbers between two neighbours with one key would be there.
                if (between % 2 == 0 && TortureTree<TOrder>.KeyOf(between) == TortureTree<TOrder>.KeyOf(first)
                    && TortureTree<TOrder>.KeyOf(between) == TortureTree<TOrder>.KeyOf(second))
                {
                    return $"A range leaves {between} out.";
                }
            }
        }

        return null;
    }

    private static void ReadRange(TreeReader<TOrder> reader, uint count, ref RangeRead range)
    {
        range.Count = 0;
        var cursor = reader.AtOrAbove(range.Key, range.Name);
        if (!cursor.IsValid && (range.IsForward || !cursor.MovePrevious()))
            return;
        do
            range.Numbers[range.Count++] = TortureTree<TOrder>.Verify(cursor.Key, cursor.Entry, out _);
        while (range.Count < RangeMax && (range.IsForward ? cursor.MoveNext() : cursor.MovePrevious()));
    }

    private struct Found
    {
        public byte[] Bytes;
        public byte[] Name;
        public ulong Key;
        public double Place;
        public bool IsFound;
        public bool HasRank;
        public uint Rank;
        public uint Below;
        private int _nameLength;
        private int _valueLength;

        public readonly TreeEntry Copy =>
            new(Bytes.AsSpan(0, _nameLength), Bytes.AsSpan(_nameLength, _valueLength));

        public void Take(in TreeEntry entry)
        {
            _nameLength = entry.Name.Length;
            _valueLength = entry.Value.Length;
            entry.Name.CopyTo(Bytes);
            entry.Value.CopyTo(Bytes.AsSpan(_nameLength));
        }
    }

    private struct RangeRead
    {
        public int[] Numbers;
        public byte[] Name;
        public ulong Key;
        public bool IsForward;
        public int Count;
    }
}
