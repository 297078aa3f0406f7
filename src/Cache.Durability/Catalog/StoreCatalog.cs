using Cache.Durability.Files;

namespace Cache.Durability.Catalog;

/// <summary>The present manifest: changed by one thread at a time, on the disk before a change counts.</summary>
internal sealed class StoreCatalog(StorageDirectory directory, Manifest manifest)
{
    private readonly Lock _gate = new();
    private Manifest _manifest = manifest;

    public Manifest Manifest
    {
        get
        {
            lock (_gate)
                return _manifest;
        }
    }

    /// <summary>Replaces the manifest; one that is suspended stays so until it is said to be open.</summary>
    public void Change(Func<Manifest, Manifest> change)
    {
        lock (_gate)
        {
            var next = change(_manifest);
            ManifestFile.Publish(directory, next);
            _manifest = next;
        }
    }

    /// <summary>Marks that later changes are in no file. False if not even that could be written.</summary>
    public bool TrySuspend()
    {
        lock (_gate)
        {
            if (_manifest.State == ManifestState.Suspended)
                return true;
            _manifest = _manifest with { State = ManifestState.Suspended };
            try
            {
                ManifestFile.Suspend(directory);
                return true;
            }
            catch (IOException)
            {
                return false;
            }
        }
    }
}
