using System.Text;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Security;

namespace Cache.Server.Commands.Session;

/// <summary>Authenticates clients.</summary>
internal static class Authentication
{
    /// <summary>The error reply to a wrong name or password, the same for both.</summary>
    public static ReadOnlySpan<byte> WrongPass => "WRONGPASS invalid username-password pair or user is disabled."u8;

    /// <summary>
    /// Gives the client the user, if that is on and the password is right; else logs the attempt. Whoever may open the
    /// admin socket needs no password, and stays its user: clients that have one send it everywhere.
    /// </summary>
    /// <param name="context">The client.</param>
    /// <param name="way">The name of the command, as the client wrote it.</param>
    /// <param name="name">The user's name.</param>
    /// <param name="password">The password.</param>
    public static bool TryAuthenticate(
        CommandContext context, ReadOnlySpan<byte> way, ReadOnlySpan<byte> name, ReadOnlySpan<byte> password)
    {
        if (context.IsAdministrator)
            return true;
        var server = context.Server;
        var client = context.Client;
        int delayMs = server.Throttle.GetDelayMs(client.EndPoints.Remote, server.NowMs);
        if (delayMs > 0)
        {
            client.Delay(TimeSpan.FromMilliseconds(delayMs));
            server.ReportLimit(ConnectionLimit.AuthenticationDelay, client.EndPoints.Remote, delayMs);
        }

        if (server.Users.Find(name) is { } user && user.Rules is { IsOn: true } rules && rules.IsPassword(password))
        {
            server.Clients.Admit(client, user);
            return true;
        }

        server.Throttle.AddFailure(client.EndPoints.Remote, server.NowMs);
        server.ReportLimit(ConnectionLimit.AuthenticationFailure, client.EndPoints.Remote, 0);
        string userName = Encoding.Latin1.GetString(AclLog.Shorten(name));
        server.LogDenial(AclDenial.Authentication, Encoding.Latin1.GetString(way), userName, client);
        return false;
    }
}
