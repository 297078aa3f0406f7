using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Cache.Server;

/// <summary>Whom a file belongs to.</summary>
internal static partial class FileOwner
{
    // struct statx: the same on all of Linux, and with both C libraries.
    private const int StatusBytes = 256;
    private const int OwnerOffset = 20;
    private const int ModeOffset = 28;
    private const int FileOffset = 32;
    private const int DeviceOffset = 136;
    private const int TypeMask = 0xF000;
    private const int RegularFile = 0x8000;
    private const int WrittenByOthers = 0x12; // 022

    private const int FromWorkingFolder = -100;
    private const int FollowsNoLink = 0x100;

    // Type, mode, owner and number of the file.
    private const uint Wanted = 1 | 2 | 8 | 0x100;

    /// <summary>
    /// Opens a file that is no link, belongs to this process's user or to root, and can be written by its owner alone;
    /// null if it is another one, or if that is not known.
    /// </summary>
    /// <remarks>What was opened is asked, so that nobody can put another file in its place meanwhile.</remarks>
    public static SafeFileHandle? OpenOwnOrRoots(string path)
    {
        if (!OperatingSystem.IsLinux())
            return null;
        var file = File.OpenHandle(path);
        byte[] named = new byte[StatusBytes];
        byte[] opened = new byte[StatusBytes];
        try
        {
            if (ReadStatus(FromWorkingFolder, path, FollowsNoLink, Wanted, named) == 0
                && ReadStatus(FromWorkingFolder, PathOf(file), 0, Wanted, opened) == 0
                && IsOwnOrRoots(opened)
                && named.AsSpan(FileOffset, sizeof(ulong)).SequenceEqual(opened.AsSpan(FileOffset, sizeof(ulong)))
                && named.AsSpan(DeviceOffset, sizeof(ulong)).SequenceEqual(opened.AsSpan(DeviceOffset, sizeof(ulong))))
            {
                return file;
            }
        }
        catch (EntryPointNotFoundException)
        {
            // A C library of before 2018.
        }

        file.Dispose();
        return null;
    }

    /// <summary>A path that leads to an open file, whatever became of its name.</summary>
    public static string PathOf(SafeFileHandle file) =>
        string.Create(CultureInfo.InvariantCulture, $"/proc/self/fd/{file.DangerousGetHandle()}");

    private static bool IsOwnOrRoots(ReadOnlySpan<byte> status)
    {
        uint owner = BinaryPrimitives.ReadUInt32LittleEndian(status[OwnerOffset..]);
        int mode = BinaryPrimitives.ReadUInt16LittleEndian(status[ModeOffset..]);
        return (mode & TypeMask) == RegularFile && (mode & WrittenByOthers) == 0
            && (owner == 0 || owner == ReadUser());
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial int ReadStatus(int folder, string path, int flags, uint mask, byte[] status);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static partial uint ReadUser();
}
