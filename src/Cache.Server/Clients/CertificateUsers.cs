using Cache.Server.Security;

namespace Cache.Server.Clients;

/// <summary>The users that clients become by their certificates, without a password. Immutable.</summary>
internal sealed class CertificateUsers
{
    private readonly Dictionary<CertificateName, string> _users = [];

    /// <summary>Maps certificate names to users; the options are valid.</summary>
    public CertificateUsers(IEnumerable<KeyValuePair<string, string>> users)
    {
        foreach (var (name, user) in users)
            _users.Add(CertificateName.TryParse(name)!.Value, AclText.FromOption(user));
    }

    /// <summary>Adds each problem as a sentence that names the option, its value and the rule.</summary>
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

    /// <summary>The user of a client's certificate, and the name of the certificate that selects it.</summary>
    /// <returns>Null if it has no name that is mapped to a user.</returns>
    public (CertificateName Name, string UserName)? FindUser(ClientSession client)
    {
        if (_users.Count == 0 || client.ClientCertificate is not { } certificate)
            return null;
        foreach (var name in CertificateName.ReadAll(certificate))
        {
            if (_users.TryGetValue(name, out string? userName))
                return (name, userName);
        }

        return null;
    }
}
