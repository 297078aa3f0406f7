using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using Cache.Server.Connections;
using Cache.Server.Diagnostics;
using Cache.Server.Transport.Sockets;

namespace Cache.Server;

/// <summary>The admin socket, which is open from before the files are loaded until the last client has gone.</summary>
public sealed partial class RespServer
{
    private static readonly TimeSpan _lastMoment = TimeSpan.FromMilliseconds(300);

    private string _adminPath = "";
    private AdminSocket? _admin;

    private void OpenAdminSocket(List<string> problems)
    {
        if (_options.AdminSocketPath is not { } path || !OperatingSystem.IsLinux())
            return;
        try
        {
            _adminPath = Path.GetFullPath(path); // The process may change its folder.
            if (Encoding.UTF8.GetByteCount(_adminPath) > RespServerOptions.UnixSocketPathBytesMax)
                throw new IOException($"its full path, {_adminPath}, is longer than the system takes.");
            var socket = UnixSocketFile.ListenPrivately(_adminPath, AdminSocket.ClientsMax);
            _admin = new AdminSocket(socket, _adminPath, _state, _adminLogger);
            ServerLog.AdminSocketOpened(_logger, _adminPath);
        }
        catch (Exception e) when (e is SocketException or IOException or UnauthorizedAccessException)
        {
            string option = RespServerOptions.Ref(nameof(RespServerOptions.AdminSocketPath));
            problems.Add($"{option} is '{path}'; cannot listen on it: {SocketBinder.ExplainUnix(e, path)}");
        }
    }

    // By the system's signal that nothing can hold back. The reply and the log go out before.
    private static void EndProcess() => new Thread(static () =>
    {
        using var never = new ManualResetEventSlim();
        never.Wait(_lastMoment);
        using var process = Process.GetCurrentProcess();
        process.Kill();
    })
    { IsBackground = true, Name = "cache end" }.Start();

    private void CloseAdminSocket()
    {
        if (_admin is null || !OperatingSystem.IsLinux())
            return;
        _admin.Dispose();
        UnixSocketFile.RemovePrivate(_adminPath);
        _admin = null;
    }
}
