using System.Runtime.InteropServices;

namespace Cache.Server.Transport.Linux;

/// <summary>The system calls of the event loop. Each takes references, which are pinned during the call.</summary>
internal static class LinuxCalls
{
    public const int ControlAdd = 1;
    public const int ControlDelete = 2;
    public const int ControlModify = 3;

    public const uint EventIn = 0x1;
    public const uint EventOut = 0x4;
    public const uint EventError = 0x8;
    public const uint EventHangUp = 0x10;

    /// <summary>EPOLLONESHOT: reported once, until it is asked for again.</summary>
    public const uint EventOnce = 1u << 30;

    public const int ErrorInterrupted = 4;
    public const int ErrorAgain = 11;
    public const int ErrorMemory = 12;
    public const int ErrorAllDescriptors = 23;
    public const int ErrorDescriptors = 24;
    public const int ErrorBuffers = 105;

    /// <summary>MSG_DONTWAIT: the call never blocks, whatever the mode of the descriptor.</summary>
    public const int DontWait = 0x40;

    /// <summary>MSG_PEEK: received bytes stay in the socket.</summary>
    public const int Peek = 2;

    /// <summary>MSG_NOSIGNAL: if the peer has gone, the call returns an error and raises no signal.</summary>
    public const int NoSignal = 0x4000;

    /// <summary>MSG_MORE: more follows at once, so a partial packet waits for it.</summary>
    public const int More = 0x8000;

    /// <summary>EPOLL_CLOEXEC, EFD_CLOEXEC and SOCK_CLOEXEC.</summary>
    public const int CloseOnExec = 0x80000;

    /// <summary>EFD_NONBLOCK.</summary>
    public const int NonBlocking = 0x800;

    /// <summary>SHUT_WR and SHUT_RDWR.</summary>
    public const int ShutSend = 1;
    public const int ShutBoth = 2;

    /// <summary>RLIMIT_NOFILE.</summary>
    public const int DescriptorLimit = 7;

    private const string Library = "libc";

    // POLLRDHUP, and what poll reports unasked: POLLERR, POLLHUP, POLLNVAL. The same on all architectures of .NET.
    private const short PollPeerGone = 0x2000;
    private const int PollReportShift = 48;

    /// <summary>Whether a socket's peer has closed its side, or the connection broke.</summary>
    public static bool HasPeerGone(int descriptor)
    {
        // struct pollfd: the descriptor, the requested events, and the returned ones.
        long asked = (uint)descriptor | ((long)PollPeerGone << 32);
        return Poll(ref asked, 1, 0) > 0 && (asked >> PollReportShift) != 0;
    }

    [DllImport(Library, EntryPoint = "epoll_create1", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int EpollCreate(int flags);

    [DllImport(Library, EntryPoint = "epoll_ctl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int EpollControl(int epoll, int operation, int descriptor, ref byte epollEvent);

    [DllImport(Library, EntryPoint = "epoll_wait", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int EpollWait(int epoll, ref byte events, int eventCountMax, int timeoutMs);

    [DllImport(Library, EntryPoint = "recv", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern nint Receive(int descriptor, ref byte buffer, nint length, int flags);

    [DllImport(Library, EntryPoint = "send", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern nint Send(int descriptor, in byte buffer, nint length, int flags);

    [DllImport(Library, EntryPoint = "eventfd", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int EventDescriptor(uint initial, int flags);

    [DllImport(Library, EntryPoint = "read", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern nint Read(int descriptor, ref ulong value, nint length);

    [DllImport(Library, EntryPoint = "write", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern nint Write(int descriptor, ref ulong value, nint length);

    [DllImport(Library, EntryPoint = "shutdown", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Shutdown(int descriptor, int how);

    [DllImport(Library, EntryPoint = "accept4", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Accept(int descriptor, ref byte address, ref int addressLength, int flags);

    [DllImport(Library, EntryPoint = "getsockname", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int GetSocketName(int descriptor, ref byte address, ref int addressLength);

    [DllImport(Library, EntryPoint = "close", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int Close(int descriptor);

    [DllImport(Library, EntryPoint = "getrlimit", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static extern int GetResourceLimit(int resource, ref ResourceLimit limit);

    public static int LastError => Marshal.GetLastPInvokeError();

    /// <summary>rlimit: the present limit, and the one to which it may be raised.</summary>
    public struct ResourceLimit
    {
        public ulong Current;
        public ulong Most;
    }

    [DllImport(Library, EntryPoint = "poll", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Poll(ref long descriptors, nint count, int timeoutMs);
}
