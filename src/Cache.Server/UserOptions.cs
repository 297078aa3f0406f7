using Cache.Server.Commands.Table;
using Cache.Server.Security;
using Cache.Server.Settings;

namespace Cache.Server;

/// <summary>Checks and applies the options for users.</summary>
internal static class UserOptions
{
    /// <summary>Adds each problem as a sentence that names the option, its value and the rule.</summary>
    public static void FindProblems(RespServerOptions options, List<string> problems)
    {
        if (options.AclFile is not null && options.Users.Count > 0)
        {
            problems.Add(
                $"RespServerOptions.AclFile is '{options.AclFile}' and RespServerOptions.Users is not empty; "
                + "users come from one of them.");
        }

        var users = new Dictionary<string, AclRules>(StringComparer.Ordinal);
        foreach (string user in options.Users)
            FindProblems(user, users, problems);
        if (CommandTable.Default.FindRenameProblem(options.RenamedCommands) is { } problem)
            problems.Add($"RespServerOptions.RenamedCommands {problem}");
    }

    /// <summary>Creates the server's users from the options.</summary>
    public static void Apply(RespServerOptions options, AclUsers users)
    {
        users.GivesAllChannels =
            options.KeptParameters.GetValueOrDefault(DirectiveTable.PubSubDefault) == DirectiveTable.AllChannels;
        foreach (string user in options.Users)
        {
            var words = Split(user)!;
            var rules = AclSplitter.MergeSelectors(words[1..], out _);

            // As in Redis: other users are new, and a reset would show in ACL LIST.
            users.Set(words[0], words[0] == AclUsers.DefaultName ? ["reset", .. rules] : rules);
        }
    }

    /// <summary>The users of the file.</summary>
    /// <param name="options">The options.</param>
    /// <param name="givesAllChannels">Whether its users begin with all channels.</param>
    /// <param name="problems">Receives the reason and the place if the file cannot be used.</param>
    /// <returns>Null if there is no file, or it cannot be used.</returns>
    public static IReadOnlyDictionary<string, AclRules>? Read(
        RespServerOptions options, bool givesAllChannels, List<string> problems)
    {
        if (options.AclFile is not { } path)
            return null;
        try
        {
            return AclFile.Read(path, givesAllChannels);
        }
        catch (AclFileException e)
        {
            string option = RespServerOptions.Ref(nameof(options.AclFile));
            problems.Add($"{option} is '{path}'; it cannot be used: {e.Message.TrimEnd()}");
            return null;
        }
    }

    private static void FindProblems(string user, Dictionary<string, AclRules> users, List<string> problems)
    {
        const string Option = "RespServerOptions.Users";
        if (Split(user) is not [var name, ..] words)
        {
            problems.Add($"{Option} has '{user}'; it must be a name and rules, and quotes must be closed.");
            return;
        }

        // Without the rules: they may contain passwords.
        foreach (string error in AclFile.ReadUser([.. words], users))
            problems.Add($"{Option} has the user '{name}': {error.TrimEnd()}");
    }

    private static List<string>? Split(string user) => AclSplitter.Split(AclText.FromOption(user));
}
