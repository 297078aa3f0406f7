namespace Cache.Server.Commands;

/// <summary>Which users clients are by their certificates, without a password. Immutable.</summary>
internal sealed class CertificateUsers
{
    private readonly Dictionary<CertificateName, string> _users = [];

    /// <summary>Takes users by certificates' names, without problems.</summary>
    public CertificateUsers(IEnumerable<KeyValuePair<string, string>> users)
    {
        foreach (var (name, user) in users)
            _users.Add(CertificateName.TryParse(name)!.Value, AclText.FromOption(user));
    }

    /// <summary>Adds every problem as a sentence that names the option, its value and the rule.</summary>
    public static void FindProblems(
        string option, IEnumerable<KeyValuePair<string, string>> users, List<string> problems)
    {
        var known = new Dictionary<CertificateName, string>();
        foreach (var (text, user) in users)
        {
            if (CertificateName.TryParse(text) is not { } name)
                problems.Add($"{option} has '{text}'; it must be {CertificateName.Forms}.");
            else if (!known.TryAdd(name, text))
                problems.Add($"{option} has '{known[name]}' and '{text}'; they are the same certificate's name.");
            if (string.IsNullOrEmpty(user) || AclText.HasSpaceOrNul(user))
                problems.Add($"{option} has '{text}' with the user '{user}'; it must be a name without spaces.");
        }
    }

    /// <summary>
    /// Makes a client in its first state one of the user whom its certificate stands for, if that one is there and on;
    /// else leaves it as it is.
    /// </summary>
    public void Authenticate(ClientSession client, ServerState server)
    {
        if (_users.Count == 0 || client.ClientCertificate is not { } certificate)
            return;
        foreach (var name in CertificateName.ReadAll(certificate))
        {
            if (!_users.TryGetValue(name, out string? userName))
                continue;
            Authenticate(client, name, userName, server);
            return;
        }
    }

    private static void Authenticate(ClientSession client, CertificateName name, string userName, ServerState server)
    {
        if (server.Users.Find(userName) is { Rules.IsOn: true } user)
        {
            server.Users.Admit(client, user);
            return;
        }

        server.ReportLimit(ConnectionLimit.CertificateUser, client.EndPoints.Remote, 0);
        server.AclLog.Add(AclDenial.Certificate, name.Text, userName, client, server);
    }
}
