using System.Globalization;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Cache.Durability.Files;

/// <summary>A directory of the file system.</summary>
internal sealed class SystemDirectory(string path) : StorageDirectory
{
    // Written at once, so that a new file is made in few calls.
    private const int ZeroBytes = 1 << 20;

    private const int ProcessBytesMax = 16;

    public override string Path { get; } = System.IO.Path.GetFullPath(path);

    public override IReadOnlyList<string> List()
    {
        List<string> names = [];
        foreach (string file in Directory.EnumerateFiles(Path))
            names.Add(System.IO.Path.GetFileName(file));
        return names;
    }

    public override StorageFile Create(string name, long length, bool isWritten = true)
    {
        string file = PathOf(name);
        var handle = OperatingSystem.IsLinux()
            ? CreateForOwner(name, length)
            : OpenCore(name, FileMode.CreateNew, FileAccess.ReadWrite, length);
        try
        {
            if (length != 0 && (isWritten || !OperatingSystem.IsLinux() || !PosixCalls.TryAllocate(handle, 0, length)))
                Fill(handle, length);
            return new SystemFile(file, handle);
        }
        catch
        {
            handle.Dispose();
            File.Delete(file);
            throw;
        }
    }

    public override StorageFile Open(string name, bool writable) =>
        new SystemFile(
            PathOf(name),
            OpenCore(name, FileMode.Open, writable ? FileAccess.ReadWrite : FileAccess.Read, preallocated: 0));

    public override void Rename(string name, string newName) =>
        Refused(newName, () => File.Move(PathOf(name), PathOf(newName), overwrite: true));

    public override void Delete(string name) => Refused(name, () => File.Delete(PathOf(name)));

    public override void Sync()
    {
        if (OperatingSystem.IsLinux()) // Elsewhere a rename is durable with the file system's own journal.
            PosixCalls.SyncDirectory(Path);
    }

    public override long FreeBytes() => new DriveInfo(Path).AvailableFreeSpace;

    public override IDisposable Lock(string name)
    {
        string file = PathOf(name);
        var handle = OperatingSystem.IsLinux()
            ? LockOnLinux(file, PosixCalls.ReadWrite | PosixCalls.Create)
            : LockElsewhere(file, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        try
        {
            byte[] text = Encoding.ASCII.GetBytes(
                Environment.ProcessId.ToString(CultureInfo.InvariantCulture).PadRight(ProcessBytesMax - 1) + "\n");
            RandomAccess.Write(handle, text, 0);
            return handle;
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>Looks whether another process has the lock; changes nothing.</summary>
    /// <exception cref="DirectoryLockedException">Another process has it.</exception>
    public void ThrowIfLocked(string name)
    {
        string file = PathOf(name);
        if (!File.Exists(file))
            return;
        using var handle = OperatingSystem.IsLinux()
            ? LockOnLinux(file, PosixCalls.ReadOnly)
            : LockElsewhere(file, FileMode.Open, FileAccess.Read, FileShare.Read);
    }

    private static void Fill(SafeFileHandle handle, long length)
    {
        byte[] zeros = new byte[Math.Min(length, ZeroBytes)];
        for (long offset = 0; offset < length; offset += zeros.Length)
            RandomAccess.Write(handle, zeros.AsSpan(0, (int)Math.Min(length - offset, zeros.Length)), offset);
    }

    // Nobody else may read it; the runtime would let all whom the umask lets. It gives a file its room only as it makes
    // it, so it makes the file again.
    private SafeFileHandle CreateForOwner(string name, long length)
    {
        PosixCalls.Open(
            PathOf(name), PosixCalls.ReadWrite | PosixCalls.Create | PosixCalls.Exclusive).Dispose();
        try
        {
            return OpenCore(name, FileMode.Create, FileAccess.ReadWrite, length);
        }
        catch
        {
            File.Delete(PathOf(name));
            throw;
        }
    }

    private SafeFileHandle LockOnLinux(string file, int access)
    {
        var handle = PosixCalls.Open(file, access);
        try
        {
            if (PosixCalls.TryLock(handle, file))
                return handle;
            Span<byte> text = stackalloc byte[ProcessBytesMax];
            text = text[..RandomAccess.Read(handle, text, 0)];
            bool isKnown = int.TryParse(Encoding.ASCII.GetString(text), CultureInfo.InvariantCulture, out int process);
            throw new DirectoryLockedException(Path, isKnown ? process : null);
        }
        catch
        {
            handle.Dispose();
            throw;
        }
    }

    private SafeFileHandle LockElsewhere(string file, FileMode mode, FileAccess access, FileShare share)
    {
        try
        {
            return File.OpenHandle(file, mode, access, share);
        }
        catch (IOException failure) when (failure is not DirectoryNotFoundException and not PathTooLongException)
        {
            throw new DirectoryLockedException(Path, null);
        }
    }

    private SafeFileHandle OpenCore(string name, FileMode mode, FileAccess access, long preallocated)
    {
        SafeFileHandle? handle = null;
        Refused(name, () => handle = File.OpenHandle(
            PathOf(name), mode, access, FileShare.ReadWrite | FileShare.Delete, FileOptions.None, preallocated));
        return handle!;
    }

    private string PathOf(string name) => System.IO.Path.Combine(Path, name);

    // A missing permission is an IOException like other errors.
    private void Refused(string name, Action action)
    {
        try
        {
            action();
        }
        catch (UnauthorizedAccessException failure)
        {
            throw new IOException($"{PathOf(name)}: {failure.Message}", failure);
        }
    }
}
