using System.Text;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Security;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>CONFIG REWRITE: writes the present values to the server's configuration file, atomically.</summary>
internal static class ConfigRewrite
{
    // A longer file is not a configuration file.
    private const long BytesMax = 16 << 20;

    private const string User = "user";

    /// <summary>Rewrites the file.</summary>
    /// <returns>The error, in the system's words; null: the file was rewritten.</returns>
    public static string? Write(ServerState server)
    {
        string path = server.Settings.ConfigurationFile;
        try
        {
            path = FindTarget(path);
            var file = new FileInfo(path);
            if (file.Exists && file.Length > BytesMax)
                return "File too large";
            string present = file.Exists ? Read(path) : "";

            // That would be JSON, which another program reads.
            if (present.AsSpan().TrimStart() is ['{', ..])
                return "Operation not supported";
            var mode = file.Exists && !OperatingSystem.IsWindows() ? file.UnixFileMode : (UnixFileMode?)null;
            Replace(path, Rewrite(present, server), mode);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return e switch
            {
                UnauthorizedAccessException => "Permission denied",
                DirectoryNotFoundException => "No such file or directory",
                _ => e.Message,
            };
        }
    }

    /// <summary>Whether a directive's lines in a file give its present value.</summary>
    public static bool IsPresent(Directive directive, IReadOnlyList<string> given, ServerState server)
    {
        if (directive.Name == User)
            return string.Concat(UserLines(server)) == string.Concat(new List<string>(given).ConvertAll(ToUserLine));
        List<string> texts = [];
        foreach (string text in given)
            texts.Add(OptionText.ToLatin1(text));
        return directive.IsParameter && texts.TrueForAll(text => directive.Kind.FindProblem(text) is null)
            && InFile(directive, texts) == ReadOf(directive, server);
    }

    /// <summary>The file's text with the present values.</summary>
    internal static string Rewrite(string present, ServerState server)
    {
        var text = new ConfigurationText(present);
        foreach (var directive in DirectiveTable.All)
        {
            if (directive.IsParameter && directive.AliasOf is null)
                text.Set(directive, ReadOf(directive, server), given => InFile(directive, given));
        }

        text.SetLines(User, UserLines(server));
        return text.ToString();
    }

    // Directives that are only kept, as given: the working folder is not a setting unless it was set.
    private static string ReadOf(Directive directive, ServerState server) =>
        directive.HasMeaning && directive.Name != DurabilityDirectives.Folder
        ? ConfigParameters.Read(directive, server)
        : server.Settings.Kept.GetValueOrDefault(directive.Name, directive.Default);

    // A removed file is created again.
    private static string FindTarget(string path)
    {
        try
        {
            return File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName ?? path;
        }
        catch (FileNotFoundException)
        {
            return path;
        }
    }

    // The users that a start makes from the lines.
    private static string InFile(Directive directive, IReadOnlyList<string> given)
    {
        string value = directive.ValueOf(given);
        return directive.Name == "maxmemory" ? ConfigParameters.ToMemoryLimit(value) : value;
    }

    // With a file of users such lines have no effect. The default user needs no line if the password alone defines it.
    private static List<string> UserLines(ServerState server)
    {
        if (server.Settings.AclFile.Length > 0)
            return [];
        var fresh = new AclUsers();
        fresh.SetDefaultPassword(server.Settings.RequirePass);
        string common = AclFile.Describe(fresh.Default);
        var lines = new List<string>();
        foreach (var user in server.Users.All)
        {
            if (AclFile.Describe(user) is var line && line != common)
                lines.Add(line);
        }

        return lines;
    }

    // A byte order mark of UTF-8 does not change how bytes are read.
    private static string Read(string path)
    {
        ReadOnlySpan<byte> bytes = File.ReadAllBytes(path);
        return Encoding.Latin1.GetString(bytes.StartsWith(Encoding.UTF8.Preamble) ? bytes[3..] : bytes);
    }

    private static string ToUserLine(string rules) => $"{User} {rules}";

    private static void Replace(string path, string text, UnixFileMode? mode)
    {
        string temporary = $"{path}.tmp-{Environment.ProcessId}";
        var options = new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write };
        if (mode is { } bits && !OperatingSystem.IsWindows())
            options.UnixCreateMode = bits;
        try
        {
            using (var stream = new FileStream(temporary, options))
            {
                stream.Write(Encoding.Latin1.GetBytes(text));
                stream.Flush(flushToDisk: true);
            }

            File.Move(temporary, path, overwrite: true);

            // If the disk has not stored the rename, the old file is still there: both are valid.
            _ = FolderSync.TrySync(Path.GetDirectoryName(path)!);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            DeleteQuietly(temporary); // A full disk, or a mounted file that cannot be replaced.
            throw;
        }
    }

    private static void DeleteQuietly(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The error of the write is the one to report.
        }
    }
}
