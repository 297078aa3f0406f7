using Cache.Server.Commands;

namespace Cache.Server;

/// <summary>The options that say who may do what, as the server has them.</summary>
internal static class UserOptions
{
    /// <summary>Adds every problem as a sentence that names the option, its value and the rule.</summary>
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

    /// <summary>Gives the server the users of the options.</summary>
    public static void Apply(RespServerOptions options, AclUsers users)
    {
        users.GivesAllChannels =
            options.KeptParameters.GetValueOrDefault(ConfigParameters.PubSubDefault) == ConfigParameters.AllChannels;
        foreach (string user in options.Users)
        {
            var words = Split(user)!;
            users.Set(words[0], ["reset", .. AclSplitter.MergeSelectors(words[1..], out _)]);
        }
    }

    /// <summary>Gives the server the users of the file, if there is one.</summary>
    /// <exception cref="IOException">The file cannot be read or is wrong; the message says where.</exception>
    public static void Load(RespServerOptions options, AclUsers users)
    {
        if (options.AclFile is not { } path)
            return;
        try
        {
            users.ReplaceAll(AclFile.Read(path, users.GivesAllChannels));
        }
        catch (AclFileException e)
        {
            throw new IOException(e.Message, e);
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

        // Not the rules: they may have passwords in them.
        foreach (string error in AclFile.ReadUser([.. words], users))
            problems.Add($"{Option} has the user '{name}': {error.TrimEnd()}");
    }

    private static List<string>? Split(string user) => AclSplitter.Split(AclText.FromOption(user));
}
