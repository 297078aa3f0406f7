using Cache.Durability.Files;
using Cache.Durability.Format;

namespace Cache.Durability.Catalog;

/// <summary>Prepares journal files for writing; reuses old ones if there are any.</summary>
/// <remarks>
/// The sync of a growing file also writes its size and the places of its blocks; the sync of a file whose blocks were
/// written before writes only the bytes. So a file has its whole length before it is used, and where each change is
/// synced it is filled with zeros: with a sync each second that would cost more than it saves. An old file is reused
/// under a new name and a new id, which invalidates its old blocks. Not thread-safe.
/// </remarks>
internal sealed class JournalFiles
{
    private readonly StorageDirectory _directory;
    private readonly TimeProvider _time;
    private readonly ulong _storeId;
    private readonly long _fileBytes;
    private readonly List<string> _spares = [];
    private long _lastNumber;

    /// <param name="directory">The directory of the files.</param>
    /// <param name="manifest">Names the files in use.</param>
    /// <param name="fileBytes">The length of each.</param>
    /// <param name="time">The clock for the time in a file's header.</param>
    public JournalFiles(StorageDirectory directory, Manifest manifest, long fileBytes, TimeProvider time)
    {
        _directory = directory;
        _time = time;
        _storeId = manifest.StoreId;
        _fileBytes = fileBytes;
        foreach (string name in directory.List())
        {
            long number = FileNames.JournalNumberOf(name.Replace(FileNames.BadEnding, "", StringComparison.Ordinal));
            _lastNumber = Math.Max(_lastNumber, number);
            if (FileNames.JournalNumberOf(name) != 0 && !manifest.Journals.Contains(name))
                _spares.Add(name);
        }

        _spares.Sort(StringComparer.Ordinal);
    }

    /// <summary>The files that can be reused.</summary>
    public int SpareCount => _spares.Count;

    /// <summary>Returns a file with a header and no valid block; header and length are durable.</summary>
    /// <param name="alignment">The alignment of its blocks.</param>
    /// <param name="firstLsn">The place of its first record; 0 if that is not known yet.</param>
    /// <param name="id">Its number, which each block repeats.</param>
    /// <param name="isWritten">
    /// Whether a new file is written before: worth it where each of its blocks is synced.
    /// </param>
    public StorageFile Take(int alignment, ulong firstLsn, out ulong id, bool isWritten = true)
    {
        id = NewId();
        string name = FileNames.JournalOf(++_lastNumber);
        var file = TakeSpare(name) ?? _directory.Create(name, _fileBytes, isWritten);
        try
        {
            var header = new FileHeader(
                FileHeader.CurrentMajor, FileHeader.CurrentMinor, alignment, id, _storeId, firstLsn,
                _time.GetUtcNow().ToUnixTimeMilliseconds());
            byte[] bytes = new byte[FileHeader.Size];
            header.Write(bytes);
            file.Write(0, bytes);
            file.Sync();
            _directory.Sync();
            return file;
        }
        catch
        {
            file.Dispose();
            DeleteQuietly(name); // Else each further attempt would leave a file behind, until the disk is full.
            throw;
        }
    }

    /// <summary>Makes all bytes in files durable, written by this process or an earlier one.</summary>
    public void Sync(IReadOnlyList<string> names)
    {
        foreach (string name in names)
        {
            using var file = _directory.Open(name, writable: true);
            file.Sync();
        }
    }

    /// <summary>Deletes the oldest reusable files, until this many are left.</summary>
    public void Trim(int sparesMax)
    {
        while (_spares.Count > sparesMax)
        {
            _directory.Delete(_spares[0]);
            _spares.RemoveAt(0);
        }
    }

    /// <summary>Keeps files that no manifest names any more for reuse, and deletes surplus ones.</summary>
    public void Retire(IReadOnlyList<string> names, int sparesMax)
    {
        foreach (string name in names)
        {
            if (_spares.Count < sparesMax)
                _spares.Add(name);
            else
                _directory.Delete(name);
        }
    }

    /// <summary>Deletes files that no manifest names any more, and of which the disk may have lost a part.</summary>
    /// <remarks>May run during any other call. Files that cannot be deleted are free at the next start.</remarks>
    public void Discard(IReadOnlyList<string> names)
    {
        foreach (string name in names)
            DeleteQuietly(name);
    }

    /// <summary>Keeps a file that no manifest names any more for inspection; it is only renamed.</summary>
    public void PutAside(string name) => _directory.Rename(name, name + FileNames.BadEnding);

    /// <summary>A new, unique number for a file.</summary>
    public static ulong NewId()
    {
        ulong id = 0;
        while (id == 0)
            id = (ulong)Random.Shared.NextInt64(long.MinValue, long.MaxValue);
        return id;
    }

    private StorageFile? TakeSpare(string name)
    {
        while (_spares.Count > 0)
        {
            _directory.Rename(_spares[0], name);
            _spares[0] = name; // If it cannot be opened, the next file uses it.
            var file = _directory.Open(name, writable: true);
            _spares.RemoveAt(0);
            if (file.Length == _fileBytes)
                return file;
            file.Dispose(); // It has another length, since the settings were changed or it was truncated.
            _directory.Delete(name);
        }

        return null;
    }

    private void DeleteQuietly(string name)
    {
        try
        {
            _directory.Delete(name);
        }
        catch (IOException)
        {
            // The first error is the one to report; the next start reuses the file.
        }
    }
}
