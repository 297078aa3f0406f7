using System.Net.Sockets;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Cache.Server.Transport.Sockets;

/// <summary>The file that a Unix domain socket is bound to, as the file system sees it.</summary>
internal static class UnixSocketFile
{
    private const UnixFileMode PrivateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    // ENXIO of Linux.
    private const int NoSuchDevice = 6;

    /// <summary>
    /// Removes the file of a socket without a listener, which a killed server leaves behind.
    /// </summary>
    /// <exception cref="SocketException">A process listens on it: address already in use.</exception>
    /// <exception cref="IOException">The path is not a socket.</exception>
    public static void RemoveStale(string path)
    {
        if (Directory.Exists(path) || IsOrdinaryFile(path))
            throw new IOException($"{path} exists and is not a socket.");
        if (!File.Exists(path))
            return;
        if (IsListenedOn(path))
            throw new SocketException((int)SocketError.AddressAlreadyInUse);
        File.Delete(path);
    }

    /// <summary>
    /// Listens on a path that only the process's user may connect to. Its file has the mode 0600 from the beginning.
    /// </summary>
    /// <remarks>
    /// Linux gives the file of a bound socket the mode of the socket itself, less the process's mask; so the mode is
    /// set before there is a file.
    /// </remarks>
    /// <exception cref="SocketException">A process listens on it.</exception>
    /// <exception cref="IOException">The path leads to something else, or cannot be written.</exception>
    [SupportedOSPlatform("linux")]
    public static Socket ListenPrivately(string path, int backlog)
    {
        if (Path.Exists(path) || new FileInfo(path).LinkTarget is not null)
        {
            if (!IsSocket(path))
                throw new IOException($"{path} exists and is not a socket of this user.");
            RemoveStale(path);
        }

        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            using (var handle = new SafeFileHandle(socket.Handle, ownsHandle: false))
                File.SetUnixFileMode(handle, PrivateMode);
            var address = new UnixListenerEndPoint(new UnixDomainSocketEndPoint(path));
            socket.Bind(address);
            address.EndBinding();
            if (File.GetUnixFileMode(path) is var mode && (mode & ~PrivateMode) != 0)
            {
                Remove(path);
                throw new IOException($"the file system gave its file the mode {Convert.ToString((int)mode, 8)}.");
            }

            socket.Listen(backlog);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Removes the file of a closed private listener, unless another process has its path now.</summary>
    [SupportedOSPlatform("linux")]
    public static void RemovePrivate(string path)
    {
        try
        {
            if (IsSocket(path) && !IsListenedOn(path))
                Remove(path);
        }
        catch (SocketException)
        {
            // Another process's.
        }
    }

    /// <summary>
    /// Removes the file of a closed listener, if it exists and can be removed; its folder may be gone.
    /// </summary>
    public static void Remove(string? path)
    {
        try
        {
            if (path is not null)
                File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The next server at this path removes it.
        }
    }

    // Whether it is certainly a socket: the system says that it cannot be opened at all, not that it is forbidden.
    private static bool IsSocket(string path)
    {
        if (new FileInfo(path).LinkTarget is not null)
            return false;
        try
        {
            using var file = new FileStream(
                path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            return false;
        }
        catch (IOException e)
        {
            return e.HResult == NoSuchDevice;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
    }

    // Only the system's refusal to open a socket's file distinguishes it from an ordinary one.
    private static bool IsOrdinaryFile(string path)
    {
        // For reading and writing first: opening a pipe only to read would wait for a writer. Else for what the file
        // permits.
        return File.Exists(path)
            && (CanOpen(path, FileAccess.ReadWrite) || CanOpen(path, FileAccess.Read)
                || CanOpen(path, FileAccess.Write));
    }

    private static bool CanOpen(string path, FileAccess access)
    {
        try
        {
            const FileShare All = FileShare.ReadWrite | FileShare.Delete;
            using var file = new FileStream(path, FileMode.Open, access, All);
            return true;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
        catch (IOException)
        {
            return false;
        }
    }

    private static bool IsListenedOn(string path)
    {
        using var probe = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

        // Else it would wait for a place in the queue of a process that does not accept.
        probe.Blocking = false;
        try
        {
            probe.Connect(new UnixDomainSocketEndPoint(path));
            return true;
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionRefused)
        {
            return false;
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.WouldBlock)
        {
            return true;
        }
    }
}
