using System.Text;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Security;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>CONFIG REWRITE: the present values in the file that the server was started with, in one step.</summary>
internal static class ConfigRewrite
{
    // A file of settings that is longer is none.
    private const long BytesMax = 16 << 20;

    private const string User = "user";

    /// <summary>Rewrites the file.</summary>
    /// <returns>Why it could not, as the system says it; null: it is done.</returns>
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

    /// <summary>Whether a directive's texts, as a file has them, come to its present value.</summary>
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

    // Of what is only kept, as it was given: the working folder is no setting unless somebody made it one.
    private static string ReadOf(Directive directive, ServerState server) =>
        directive.HasMeaning && directive.Name != DurabilityDirectives.Folder
        ? ConfigParameters.Read(directive, server)
        : server.Settings.Kept.GetValueOrDefault(directive.Name, directive.Default);

    // A file that was removed is made again.
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

    // What the start makes of the lines.
    private static string InFile(Directive directive, IReadOnlyList<string> given)
    {
        string value = directive.ValueOf(given);
        return directive.Name == "maxmemory" ? ConfigParameters.ToMemoryLimit(value) : value;
    }

    // With a file of users the lines mean nothing. The default user has none while it is as the password makes it.
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

    // A mark of UTF-8 at the beginning says nothing about bytes.
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

            // A disk that does not take the name has the old file still: nothing is wrong with either.
            _ = FolderSync.TrySync(Path.GetDirectoryName(path)!);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            DeleteQuietly(temporary); // A full disk, or a file that is mounted and cannot be replaced.
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
            // Why it could not be written is what matters.
        }
    }
}
