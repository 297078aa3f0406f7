using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>The file that a Unix domain socket is bound to, as the file system sees it.</summary>
internal static class UnixSocketFile
{
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
