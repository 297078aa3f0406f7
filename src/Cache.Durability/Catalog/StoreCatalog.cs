using Cache.Durability.Files;

namespace Cache.Durability.Catalog;

/// <summary>
/// The present manifest: changed by one thread at a time; a change is durable before it becomes valid.
/// </summary>
internal sealed class StoreCatalog(StorageDirectory directory, Manifest manifest)
{
    private readonly Lock _gate = new();
    private Manifest _manifest = manifest;

    // A failed change may still be on the disk.
    private bool _isUncertain;

    /// <summary>The directory of the files.</summary>
    public StorageDirectory Directory { get; } = directory;

    public Manifest Manifest
    {
        get
        {
            lock (_gate)
                return _manifest;
        }
    }

    /// <summary>Whether the manifest on the disk may differ, since a change failed.</summary>
    public bool IsUncertain
    {
        get
        {
            lock (_gate)
                return _isUncertain;
        }
    }

    /// <summary>Replaces the manifest; a suspended one stays suspended until it is set to open.</summary>
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

    /// <summary>Notes that later changes are in no file. False if not even this can be written.</summary>
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
