using System.Runtime.InteropServices;
using System.Text;

namespace Cache.Server.Commands.Administration;

/// <summary>Syncs a folder to the disk, so that a renamed file keeps its name after a power failure.</summary>
internal static class FolderSync
{
    private const int ReadOnly = 0;
    private const int CloseOnExec = 0x80000;

    /// <summary>Syncs the folder on Linux; elsewhere this is left to the system.</summary>
    /// <returns>False if the folder cannot be opened, or the sync fails.</returns>
    public static bool TrySync(string folder)
    {
        if (!OperatingSystem.IsLinux())
            return true;
        int descriptor = Open([.. Encoding.UTF8.GetBytes(folder), 0], ReadOnly | CloseOnExec);
        if (descriptor < 0)
            return false;
        bool isDone = Sync(descriptor) == 0;
        _ = Close(descriptor);
        return isDone;
    }

    [DllImport("libc", EntryPoint = "open")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Open(byte[] path, int flags);

    [DllImport("libc", EntryPoint = "fsync")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Sync(int descriptor);

    [DllImport("libc", EntryPoint = "close")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Close(int descriptor);
}
