using Cache.Durability.Files;

namespace Cache.Durability.Catalog;

/// <summary>The present manifest: changed by one thread at a time, on the disk before a change counts.</summary>
internal sealed class StoreCatalog(StorageDirectory directory, Manifest manifest)
{
    private readonly Lock _gate = new();
    private Manifest _manifest = manifest;

    // A change that failed may be on the disk all the same.
    private bool _isUncertain;

    /// <summary>Where the files are.</summary>
    public StorageDirectory Directory { get; } = directory;

    public Manifest Manifest
    {
        get
        {
            lock (_gate)
                return _manifest;
        }
    }

    /// <summary>Whether the manifest on the disk may be another one: a change failed on its way.</summary>
    public bool IsUncertain
    {
        get
        {
            lock (_gate)
                return _isUncertain;
        }
    }

    /// <summary>Replaces the manifest; one that is suspended stays so until it is said to be open.</summary>
    public void Change(Func<Manifest, Manifest> change)
    {
        lock (_gate)
        {
            var next = change(_manifest);
            _isUncertain = true;
            ManifestFile.Publish(Directory, next);
            (_manifest, _isUncertain) = (next, false);
        }
    }

    /// <summary>Marks that later changes are in no file. False if not even that could be written.</summary>
    public bool TrySuspend()
    {
        lock (_gate)
        {
            if (_manifest.State == ManifestState.Suspended && !_isUncertain)
                return true;
            _manifest = _manifest with { State = ManifestState.Suspended };
            try
            {
                ManifestFile.Suspend(Directory);
                _isUncertain = false;
                return true;
            }
            catch (IOException)
            {
                return false;
            }
        }
    }
}
