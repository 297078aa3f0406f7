using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Validation;

/// <summary>Compares the large collections with their pages: each page has one owner, each object one key.</summary>
internal sealed class ObjectValidator(ObjectHeap objects)
{
    private readonly HashSet<uint> _numbers = [];
    private readonly TreeAudit<ByHashWithValue> _hashes = new(objects.Pages);
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
        _hashes.Check(info.First);
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
        long pages = objects.Pages.Audit();
        StoreValidator.Require(
            pages == _hashes.Pages.Count, $"{pages} pages are out, and trees have {_hashes.Pages.Count}");
    }
}
