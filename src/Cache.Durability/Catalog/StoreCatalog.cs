using System.Diagnostics;
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

    // The same of the state alone, which a suspension changes; the files that it names are then those of before or
    // those of the change: all of them are there, and either are complete.
    private bool _isStateUncertain;

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
    /// <remarks>The files of both, the old one and the new one, exist and stay until this has succeeded.</remarks>
    public void Change(Func<Manifest, Manifest> change)
    {
        lock (_gate)
        {
            var next = change(_manifest);
            (_isUncertain, _isStateUncertain) = (true, true);
            ManifestFile.Publish(Directory, next);
            (_manifest, _isUncertain, _isStateUncertain) = (next, false, false);
        }
    }

    /// <summary>Notes that nothing is written any more. False if not even this can be written.</summary>
    /// <param name="state">
    /// Whether later changes are in no file (suspended), or there are none (refused). What was suspended stays so.
    /// </param>
    public bool TrySuspend(ManifestState state)
    {
        Debug.Assert(state is ManifestState.Suspended or ManifestState.Refused);
        lock (_gate)
        {
            if (_manifest.State == ManifestState.Suspended)
                state = ManifestState.Suspended;
            if (_manifest.State == state && !_isStateUncertain)
                return true;
            _manifest = _manifest with { State = state };
            _isStateUncertain = true;
            try
            {
                ManifestFile.Suspend(Directory, state);
                _isStateUncertain = false;
                return true;
            }
            catch (IOException)
            {
                return false;
            }
        }
    }
}
