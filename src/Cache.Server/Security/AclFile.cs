using System.Globalization;
using System.Text;

namespace Cache.Server.Security;

/// <summary>A file of users: "user name rules…" a line, # for comments, as Redis writes and reads it.</summary>
internal static class AclFile
{
    // Enough for a user of the longest line; a longer file is probably a wrong path.
    private const long BytesMax = 64 << 20;

    // Two writers at once would share the temporary file, and the later one could write the earlier users.
    private static readonly Lock _writing = new();

    /// <summary>The users of a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="givesAllChannels">Whether its users begin with all channels.</param>
    /// <exception cref="AclFileException">
    /// It cannot be read, or a line is wrong; the message is Redis's, and names each wrong line.
    /// </exception>
    public static IReadOnlyDictionary<string, AclRules> Read(string path, bool givesAllChannels)
    {
        var users = new Dictionary<string, AclRules>(StringComparer.Ordinal);
        var errors = new StringBuilder();
        int number = 0;
        foreach (string line in ReadLines(path))
        {
            number++;
            string text = line.Trim(' ', '\t', '\r', '\n');
            if (text.Length == 0 || text[0] == '#')
                continue;
            string[] words = text.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            string place = Invariant($"{path}:{number}");
            if (words is not ["user", var name, ..])
                errors.Append(place).Append(" should start with user keyword followed by the username. ");
            else if (AclText.HasSpaceOrNul(name))
                errors.Append($"'{place}: username '{name}' contains invalid characters. "); // Redis's first quote.
            else if (users.ContainsKey(name))
                errors.Append(Invariant($"WARNING: Duplicate user '{name}' found on line {number}. "));
            else
                errors.AppendJoin(
                    "", ReadUser(words[1..], users, givesAllChannels).ConvertAll(error => $"{place}: {error}"));
        }

        if (errors.Length > 0)
        {
            throw new AclFileException(
                errors + "WARNING: ACL errors detected, no change to the previously active ACL rules was performed");
        }

        return users;
    }

    /// <summary>Writes all users, atomically for readers of the file.</summary>
    /// <exception cref="AclFileException">It cannot be written.</exception>
    public static void Write(string path, AclUsers users)
    {
        string temporary = $"{path}.tmp-{Environment.ProcessId}";
        try
        {
            lock (_writing)
            {
                var text = new StringBuilder();
                foreach (var user in users.All)
                    text.Append(Describe(user)).Append('\n');
                WriteThrough(temporary, Encoding.Latin1.GetBytes(text.ToString()));
                File.Move(temporary, path, overwrite: true);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new AclFileException($"The ACL file '{path}' cannot be written: {e.Message}");
        }
    }

    /// <summary>A user as a line of the file.</summary>
    public static string Describe(AclUser user) => $"user {user.Name} {user.Rules.Describe()}";

    /// <summary>Reads the words behind "user" in a line or a directive: a name and rules.</summary>
    /// <returns>
    /// The errors in Redis's words: unknown names, and the first of other errors; empty: none.
    /// </returns>
    public static List<string> ReadUser(
        string[] words, Dictionary<string, AclRules> users, bool givesAllChannels = false)
    {
        var rules = new AclRules(givesAllChannels);
        var merged = AclSplitter.MergeSelectors(words[1..], out string? unmatched);
        if (unmatched is not null)
            return ["Unmatched parenthesis in selector definition."];
        List<string> errors = [];
        bool hasSyntaxError = false;
        foreach (string word in merged)
        {
            string rule = word.Trim('\t', '\r', '\n');
            string? problem = rules.TryApply(rule);
            if (problem == AclErrors.Unknown)
                errors.Add($"Error in applying operation '{rule}': {problem}. ");
            else if (problem is not null && !hasSyntaxError)
                errors.Add($"{problem}. ");
            hasSyntaxError |= problem is not null && problem != AclErrors.Unknown;
        }

        if (!users.TryAdd(words[0], rules))
            errors.Add($"{AclErrors.DuplicateUser}. ");
        return errors;
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static string[] ReadLines(string path)
    {
        try
        {
            if (new FileInfo(path) is { Exists: true, Length: > BytesMax })
                throw new AclFileException($"The ACL file '{path}' is longer than {BytesMax} bytes.");

            // Not ReadAllLines, which ends a line at a lone CR: a rule may contain one.
            return File.ReadAllText(path, Encoding.Latin1).Split('\n');
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            string reason = e is FileNotFoundException or DirectoryNotFoundException
                ? "No such file or directory"
                : e.Message;
            throw new AclFileException($"Error loading ACLs, opening file '{path}': {reason}");
        }
    }

    private static void WriteThrough(string path, byte[] bytes)
    {
        using var stream = new FileStream(path, OwnerOnly());
        stream.Write(bytes);
        stream.Flush(flushToDisk: true);
    }

    // Password hashes are readable by the owner only.
    private static FileStreamOptions OwnerOnly()
    {
        var options = new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        return options;
    }
}
