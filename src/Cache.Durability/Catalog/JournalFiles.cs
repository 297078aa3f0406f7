using Cache.Durability.Files;
using Cache.Durability.Format;

namespace Cache.Durability.Catalog;

/// <summary>Makes journal files ready to be written, of old ones where there are any.</summary>
/// <remarks>
/// A sync of a file that grows writes the file's size and the places of its blocks too; one whose blocks were written
/// before writes the bytes alone. So a file has its whole length in zeros before it is used, and an old one is used
/// again under a new name and a new id, by which its old blocks are no blocks any more. Not thread-safe.
/// </remarks>
internal sealed class JournalFiles
{
    private readonly StorageDirectory _directory;
    private readonly TimeProvider _time;
    private readonly ulong _storeId;
    private readonly long _fileBytes;
    private readonly List<string> _spares = [];
    private long _lastNumber;

    /// <param name="directory">Where they are.</param>
    /// <param name="manifest">Which of them are in use.</param>
    /// <param name="fileBytes">The length of each.</param>
    /// <param name="time">Says when a file is made.</param>
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

    /// <summary>The files that wait to be used again.</summary>
    public int SpareCount => _spares.Count;

    /// <summary>A file with a header and nothing behind it that would be read; both are on the disk.</summary>
    /// <param name="alignment">That of its blocks.</param>
    /// <param name="firstLsn">The place of its first record; 0 if that is not known yet.</param>
    /// <param name="id">Its number, which each block repeats.</param>
    public StorageFile Take(int alignment, ulong firstLsn, out ulong id)
    {
        id = NewId();
        string name = FileNames.JournalOf(++_lastNumber);
        var file = TakeSpare(name) ?? _directory.Create(name, _fileBytes);
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
            DeleteQuietly(name); // Else each further attempt would leave a file until the disk is full.
            throw;
        }
    }

    /// <summary>Makes durable whatever was written to files, by this process or another one.</summary>
    public void Sync(IReadOnlyList<string> names)
    {
        foreach (string name in names)
        {
            using var file = _directory.Open(name, writable: true);
            file.Sync();
        }
    }

    /// <summary>Deletes the oldest of the files that wait to be used again, until so many are left.</summary>
    public void Trim(int sparesMax)
    {
        while (_spares.Count > sparesMax)
        {
            _directory.Delete(_spares[0]);
            _spares.RemoveAt(0);
        }
    }

    /// <summary>Keeps files that no manifest names any more for later, and deletes what is too much.</summary>
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

    /// <summary>Deletes files that no manifest names any more, of which the disk may have lost a part.</summary>
    /// <remarks>Beside any other call. What stays is free at the next start.</remarks>
    public void Discard(IReadOnlyList<string> names)
    {
        foreach (string name in names)
            DeleteQuietly(name);
    }

    /// <summary>Keeps a file that no manifest names any more for a person; nothing else is done to it.</summary>
    public void PutAside(string name) => _directory.Rename(name, name + FileNames.BadEnding);

    /// <summary>A number for a file, which no other one has.</summary>
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
            _spares[0] = name; // If it cannot be opened it is the next one's.
            var file = _directory.Open(name, writable: true);
            _spares.RemoveAt(0);
            if (file.Length == _fileBytes)
                return file;
            file.Dispose(); // Of another length since the settings were changed, or cut.
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
            // Why it could not be made is what matters; the next start uses it again.
        }
    }
}
