using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Cache.Durability.Files;

/// <summary>
/// System calls that the runtime does not offer: it refuses to open a directory, and syncs only with fsync.
/// </summary>
internal static class PosixCalls
{
    public const int ReadOnly = 0;
    public const int ReadWrite = 2;

    // The values on Linux; on other systems the calls below are not used.
    public const int Create = 0x40;
    public const int Exclusive = 0x80;
    public const int NoWait = 0x800;
    public const int CloseOnExec = 0x80000;

    private const int OwnerReadsAndWrites = 0x180;
    private const int LockShared = 1;
    private const int LockExclusive = 2;
    private const int LockNoWait = 4;
    private const int LockNone = 8;
    private const int ErrorInterrupted = 4;
    private const int ErrorWouldBlock = 11;
    private const int DiscardPages = 1 | 2; // The file keeps its length.
    private const int OneThread = 0;
    private const int ThisThread = 0;

    // A tenth of the share of a thread of usual priority: it still ends if the processors are never idle.
    private const int LowNice = 10;
    private const string Library = "libc";

    /// <exception cref="IOException">The system refuses.</exception>
    public static SafeFileHandle Open(string path, int flags)
    {
        byte[] name = Encoding.UTF8.GetBytes(path + '\0');
        while (true)
        {
            var handle = OpenCore(name, flags | CloseOnExec, OwnerReadsAndWrites);
            if (!handle.IsInvalid)
                return handle;
            int error = Marshal.GetLastPInvokeError();
            handle.Dispose();
            if (error != ErrorInterrupted)
                throw Failure("open", path, error);
        }
    }

    /// <summary>Waits until the bytes of a file, and the metadata needed to read them, are on the disk.</summary>
    /// <remarks>Do not call it again after an error: the system reports an error once and drops the bytes.</remarks>
    public static void SyncData(SafeFileHandle file, string path)
    {
        if (SyncDataCore(file) != 0)
            throw Failure("fdatasync", path, Marshal.GetLastPInvokeError());
    }

    /// <summary>
    /// Allocates a part of a file, which grows if it must; false if the disk has no room, or the file system no such
    /// call.
    /// </summary>
    public static bool TryAllocate(SafeFileHandle file, long offset, long length)
    {
        int error;
        do
            error = AllocateCore(file, (nint)offset, (nint)length);
        while (error == ErrorInterrupted);
        return error == 0;
    }

    public static void SyncDirectory(string path)
    {
        using var directory = Open(path, ReadOnly);
        if (SyncCore(directory) != 0)
            throw Failure("fsync", path, Marshal.GetLastPInvokeError());
    }

    /// <summary>Whether the lock was taken; closing the handle releases it.</summary>
    public static bool TryLock(SafeFileHandle file, string path) => TryLock(file, path, LockExclusive);

    /// <summary>The same with a lock that only an exclusive one excludes: others may still open the file.</summary>
    public static bool TryLockShared(SafeFileHandle file, string path) => TryLock(file, path, LockShared);

    /// <summary>Ends a lock of a file that stays open, or mapped.</summary>
    public static void Unlock(SafeFileHandle file) => _ = LockCore(file, LockNone);

    /// <summary>Gives the memory of a file back; where the system cannot, it goes with the file.</summary>
    public static void Discard(SafeFileHandle file, int length) => _ = DiscardCore(file, DiscardPages, 0, length);

    /// <summary>Lets other threads run before the present one, from now on. Linux only.</summary>
    /// <remarks>
    /// The runtime ignores priorities of threads on Linux, where each has its own "nice". It may always be raised;
    /// if it cannot be, the thread only runs as others do.
    /// </remarks>
    public static void LowerPriority() => _ = SetPriorityCore(OneThread, ThisThread, LowNice);

    private static bool TryLock(SafeFileHandle file, string path, int kind)
    {
        while (LockCore(file, kind | LockNoWait) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error == ErrorWouldBlock)
                return false;
            if (error != ErrorInterrupted)
                throw Failure("flock", path, error);
        }

        return true;
    }

    private static IOException Failure(string call, string path, int error) =>
        new($"{call} {path}: {Marshal.GetPInvokeErrorMessage(error)}.", error);

    [DllImport(Library, EntryPoint = "open", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern SafeFileHandle OpenCore(byte[] path, int flags, int mode);

    [DllImport(Library, EntryPoint = "fdatasync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SyncDataCore(SafeFileHandle file);

    [DllImport(Library, EntryPoint = "fsync", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SyncCore(SafeFileHandle file);

    [DllImport(Library, EntryPoint = "posix_fallocate")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int AllocateCore(SafeFileHandle file, nint offset, nint length);

    [DllImport(Library, EntryPoint = "fallocate")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int DiscardCore(SafeFileHandle file, int mode, nint offset, nint length);

    [DllImport(Library, EntryPoint = "flock", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int LockCore(SafeFileHandle file, int operation);

    [DllImport(Library, EntryPoint = "setpriority", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetPriorityCore(int which, int who, int nice);
}
