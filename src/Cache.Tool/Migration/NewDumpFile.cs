using Cache.Durability.Catalog;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

/// <summary>An RDB file that gets its name when it is complete and on the disk.</summary>
internal static class NewDumpFile
{
    private const int BufferBytes = 1 << 20;

    /// <exception cref="ToolException">There is something of that name, or no folder for it.</exception>
    public static void ThrowIfUsed(string dump)
    {
        if (Directory.Exists(dump))
            throw new ToolException($"{dump} is a directory; the name of a file is needed that is new or empty.");
        if (File.Exists(dump) && new FileInfo(dump).Length != 0)
            throw new ToolException($"{dump} exists already. Name a file that is new or empty.");
        string folder = Path.GetDirectoryName(Path.GetFullPath(dump))!;
        if (!Directory.Exists(folder))
            throw new ToolException($"{folder} does not exist; {dump} cannot be made in it.");
    }

    /// <summary>Writes it, for its user alone.</summary>
    public static void Write(string dump, Action<Stream> write)
    {
        string path = Path.GetFullPath(dump);
        string unfinished = path + FileNames.TemporaryEnding;
        if (Path.Exists(unfinished))
        {
            throw new ToolException(
                $"{unfinished} exists: another run writes it, or left it when it was killed. Remove it if none runs.");
        }

        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.Write,
            BufferSize = BufferBytes,
        };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using (var stream = new FileStream(unfinished, options))
        {
            try
            {
                write(stream);
                stream.Flush(flushToDisk: true);
            }
            catch
            {
                File.Delete(unfinished);
                throw;
            }
        }

        ThrowIfUsed(dump);
        File.Move(unfinished, path, overwrite: true);
    }
}
