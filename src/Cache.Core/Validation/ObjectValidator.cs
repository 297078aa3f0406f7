using System.Buffers.Binary;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Validation;

/// <summary>Compares the large collections with their pages: each page has one owner, each object one key.</summary>
internal sealed class ObjectValidator(ObjectHeap objects)
{
    private readonly HashSet<uint> _numbers = [];
    private readonly HashSet<uint> _pages = [];
    private readonly Dictionary<long, (LargeBlock Block, int Count)> _blocks = [];
    private long _accountedBytes;

    /// <summary>Frees what has gone, so that all pages are some collection's.</summary>
    public void PrepareAudit()
    {
        while (objects.Graveyard.Step())
        {
        }

        objects.Pages.FlushCaches();
    }

    /// <summary>Counts a key's collection.</summary>
    /// <returns>What its segment counts for it.</returns>
    public long Note(ObjectStub stub, EntryKind kind)
    {
        ref var info = ref objects.Table[stub.Number];
        StoreValidator.Require(objects.IsCurrent(stub), $"a key has object {stub.Number}, which is another's");
        StoreValidator.Require(_numbers.Add(stub.Number), $"two keys have object {stub.Number}");
        StoreValidator.Require(info.Kind == kind, $"object {stub.Number} is of another kind than its key");
        StoreValidator.Require((info.Version & 3) == 0, $"object {stub.Number} is held");
        StoreValidator.Require(info.Snapshots == 0, $"object {stub.Number} has {info.Snapshots} snapshots");
        StoreValidator.Require(info.First.Count != 0, $"object {stub.Number} is empty");
        Check(info);
        _accountedBytes += objects.AccountedBytesOf(stub);
        return objects.AccountedBytesOf(stub);
    }

    public void Validate()
    {
        StoreValidator.Require(
            objects.Count == _numbers.Count, $"{objects.Count} large collections are counted of {_numbers.Count}");
        StoreValidator.Require(
            objects.AccountedBytes == _accountedBytes,
            $"segments count {objects.AccountedBytes} bytes for objects of {_accountedBytes}");
        ValidateBlocks();
        long pages = objects.Pages.Audit();
        StoreValidator.Require(
            pages == _pages.Count, $"{pages} pages are out, and trees have {_pages.Count}");
    }

    private void Check(in ObjectInfo info)
    {
        switch (info.Kind)
        {
            case EntryKind.Hash:
                Check<ByHashWithValue>(info.First);
                Check<ByScore>(info.Second);
                CountBlocks(objects.ViewOf(info).First<ByHashWithValue>());
                CountBlocks(objects.ViewOf(info).Second<ByScore>());
                CheckMoments(objects.ViewOf(info));
                break;
            case EntryKind.Set:
                Check<ByHash>(info.First);
                CountBlocks(objects.ViewOf(info).First<ByHash>());
                break;
            case EntryKind.List:
                Check<ByPosition>(info.First);
                CountElementBlocks(objects.ViewOf(info));
                break;
            case EntryKind.SortedSet:
                Check<ByHashWithValue>(info.First);
                Check<ByScore>(info.Second);
                CountBlocks(objects.ViewOf(info).First<ByHashWithValue>());
                CountBlocks(objects.ViewOf(info).Second<ByScore>());
                CheckScores(objects.ViewOf(info), info.Second.Count);
                break;
            case EntryKind.Stream:
                Check<ByNumber>(info.First);
                Check<ByNumber>(info.Second);
                CheckStream(objects.ViewOf(info));
                break;
            default:
                StoreValidator.Require(false, $"a large collection is of kind {info.Kind}");
                break;
        }
    }

    private void Check<TOrder>(in TreeRoot root)
        where TOrder : struct, ITreeOrder => new TreeAudit<TOrder>(objects.Pages, _pages).Check(root);

    private void CountBlocks<TOrder>(TreeReader<TOrder> tree)
        where TOrder : struct, ITreeOrder
    {
        for (var cursor = tree.At(0); cursor.IsValid; cursor.MoveNext())
        {
            var entry = cursor.Entry;
            if (entry.IsValueStub)
                CountBlock(entry.Value, entry.NameLength);
            if (entry.IsNameStub)
                CountNameBlock(ElementStub.EndOf(entry.Name));
        }
    }

    private void CountNameBlock(ReadOnlySpan<byte> bytes)
    {
        var stub = ElementStub.Read(bytes);
        StoreValidator.Require(
            LongName.NameOf(stub.Block).Length == stub.Length && stub.Length > ElementSizes.NameLengthMax,
            $"a name of {stub.Length} bytes is in a block of {stub.Block.Length}");
        Count(bytes, stub.Block);
    }

    // Of a list: in the block is the change that has added the element, with any position.
    private void CountElementBlocks(in ObjectView view)
    {
        var cursor = view.First<ByPosition>().At(0);
        for (; cursor.IsValid; cursor.MoveNext())
        {
            if (!cursor.Entry.IsNameStub)
                continue;
            var stub = ElementStub.Read(cursor.Entry.Name);
            int nameLength = stub.Block.Length - ElementReader.PrefixSize - ElementReader.SizeOf(0, stub.Length);
            StoreValidator.Require(
                nameLength is 0 or ListChange.PositionSize or ListChange.FirstNameSize,
                $"an element of {stub.Length} bytes is in a block of {stub.Block.Length}");
            CountBlock(cursor.Entry.Name, nameLength);
        }
    }

    private void CountBlock(ReadOnlySpan<byte> bytes, int nameLength)
    {
        var stub = ElementStub.Read(bytes);
        StoreValidator.Require(
            ElementReader.PrefixSize + ElementReader.SizeOf(nameLength, stub.Length) == stub.Block.Length,
            $"a value of {stub.Length} bytes is in a block of {stub.Block.Length}");
        Count(bytes, stub.Block);
    }

    private void Count(ReadOnlySpan<byte> stub, LargeBlock block)
    {
        long address = BinaryPrimitives.ReadInt64LittleEndian(stub);
        _blocks[address] = (block, _blocks.GetValueOrDefault(address).Count + 1);
    }

    // Of a second tree: as the first one is searched.
    private static bool TryFind(in ObjectView view, in TreeEntry entry, out TreeEntry found) => view.TryFindName(
        entry.IsNameStub ? LongName.NameOf(ElementStub.Read(entry.Stub).Block) : entry.Name, out found);

    // Each stub has one reference, and nothing else has any.
    private void ValidateBlocks()
    {
        var owner = objects.LongElements;
        StoreValidator.Require(owner.OwnedBytes == 0, $"{owner.OwnedBytes} bytes of long values are no tree's");
        if (owner.Loans != 0)
            return; // A journal has not written them yet.
        long bytes = 0;
        foreach (var (block, count) in _blocks.Values)
        {
            bytes += block.SizeBytes;
            StoreValidator.Require(
                block.HasMoreThan(count - 1) && !block.HasMoreThan(count),
                $"a long value that {count} trees have does not have as many references");
        }

        StoreValidator.Require(
            owner.Bytes == bytes, $"long values count {owner.Bytes} bytes, and trees have {bytes}");
    }

    private void CheckStream(in ObjectView view)
    {
        var stream = new StreamView(view);
        string? fault = StreamAudit.FindFault(stream);
        StoreValidator.Require(fault is null, $"{fault}");
        for (var cursor = stream.Blocks.At(0); cursor.IsValid; cursor.MoveNext())
        {
            if (cursor.Entry.IsValueStub)
                CountBlock(cursor.Entry.Value, StreamElement.EntryNameSize);
        }
    }

    // Each field that expires is in both trees, with one moment.
    private static void CheckMoments(in ObjectView view)
    {
        uint timed = 0;
        for (var field = view.First<ByHashWithValue>().At(0); field.IsValid; field.MoveNext())
            timed += field.Entry.Moment != 0 ? 1U : 0;
        StoreValidator.Require(timed == view.TimedCount, $"{timed} fields have {view.TimedCount} moments");
        for (var cursor = view.Second<ByScore>().At(0); cursor.IsValid; cursor.MoveNext())
        {
            bool isField = TryFind(view, cursor.Entry, out var field);
            StoreValidator.Require(
                isField && (ulong)field.Moment == cursor.Key,
                $"a field is at moment {cursor.Key}, and has another one");
        }
    }

    // Each member is in both trees of a sorted set, with one score.
    private static void CheckScores(in ObjectView view, uint scores)
    {
        StoreValidator.Require(scores == view.Count, $"{view.Count} members have {scores} scores");
        var cursor = view.Second<ByScore>().At(0);
        for (; cursor.IsValid; cursor.MoveNext())
        {
            bool isMember = TryFind(view, cursor.Entry, out var member);
            StoreValidator.Require(
                isMember && ScoreKey.Of(member.Value) == cursor.Key,
                $"a member is at score {ScoreKey.ScoreOf(cursor.Key)}, and has another one");
        }
    }
}
