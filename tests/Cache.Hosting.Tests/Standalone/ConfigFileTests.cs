using StandaloneServer.Configuration;

namespace Cache.Hosting.Tests.Standalone;

public sealed class ConfigFileTests : IDisposable
{
    private readonly TemporaryFiles _files = new();

    [Fact]
    public void Read_SkipsCommentsAndBlankLines_AndKnowsLines()
    {
        string path = _files.Write("c.conf", "# a comment\n\n  port 7000\r\nbind 127.0.0.1 ::1\n#port 1\n");
        var settings = ConfigFile.Read(path);
        Assert.Equal(["port 7000", "bind 127.0.0.1 ::1"], settings.Select(setting => $"{setting.Name} {setting.Text}"));
        Assert.Equal([$"{path}, line 3", $"{path}, line 4"], settings.Select(setting => setting.Origin));
    }

    [Fact]
    public void Read_Include_IsReadInItsPlaceRelativeToItsFile()
    {
        _files.Write("more.conf", "maxclients 5");
        string path = _files.Write("c.conf", "port 1\ninclude more.conf\nport 2\n");
        Assert.Equal(["port", "maxclients", "port"], ConfigFile.Read(path).Select(setting => setting.Name));
    }

    [Fact]
    public void Read_FileThatIncludesItself_IsRefused()
    {
        string path = _files.Write("c.conf", "include c.conf");
        var refused = Assert.Throws<SettingException>(() => ConfigFile.Read(path));
        Assert.Equal($"{path}, line 1: files include each other more than 8 deep.", refused.Message);
    }

    [Fact]
    public void Read_OpenQuote_IsNamedWithFileAndLine()
    {
        string path = _files.Write("c.conf", "port 1\nrequirepass \"x");
        var refused = Assert.Throws<SettingException>(() => ConfigFile.Read(path));
        Assert.Equal($"{path}, line 2: a quote is not closed, or not followed by a space.", refused.Message);
    }

    [Fact]
    public void Read_MissingFile_IsNamed()
    {
        var refused = Assert.Throws<SettingException>(() => ConfigFile.Read(_files.PathOf("none.conf")));
        Assert.Contains("none.conf", refused.Message, StringComparison.Ordinal);
    }

    public void Dispose() => _files.Dispose();
}
