using Cache.Hosting.Configuration;
using Cache.Server.Settings;

namespace Cache.Hosting.Tests.Standalone;

public sealed class ConfigFileTests : IDisposable
{
    private readonly TemporaryFiles _files = new();
    private readonly List<string> _problems = [];

    [Fact]
    public void Read_SkipsCommentsAndBlankLines_AndKnowsLines()
    {
        string path = _files.Write("c.conf", "# a comment\n\n  port 7000\r\nbind 127.0.0.1 ::1\n#port 1\n");
        var settings = ConfigFile.Read(path, _problems);
        Assert.Equal(["port 7000", "bind 127.0.0.1 ::1"], settings.Select(setting => $"{setting.Name} {setting.Text}"));
        Assert.Equal([$"{path}, line 3", $"{path}, line 4"], settings.Select(setting => setting.Origin));
    }

    [Theory]
    [InlineData("\n { \"Cache\": { \"port\": 1 } }", " looks like JSON: give it by --config-json.")]
    [InlineData(null, "' is a folder.")]
    public void Read_WhatIsNoSuchFile_SaysWhatItIs(string? text, string end)
    {
        string path = text is null ? _files.PathOf("") : _files.Write("c.conf", text);
        Assert.Empty(ConfigFile.Read(path, _problems));
        Assert.EndsWith(end, Assert.Single(_problems), StringComparison.Ordinal);
    }

    [Fact]
    public void Apply_CommentBehindAValue_SaysWhereCommentsGo()
    {
        string path = _files.Write("c.conf", "port 1 # the port\n");
        var error = Assert.Throws<SettingException>(
            () => new ProgramSettings(new(), new()).Apply(ConfigFile.Read(path, _problems)));
        Assert.Equal(
            $"{path}, line 1: port is '1 # the port'; it must be one value; a comment has a line of its own.",
            error.Message);
    }

    [Fact]
    public void Read_Include_IsReadInItsPlaceRelativeToItsFile()
    {
        _files.Write("more.conf", "maxclients 5");
        string path = _files.Write("c.conf", "port 1\ninclude more.conf\nport 2\n");
        Assert.Equal(["port", "maxclients", "port"], ConfigFile.Read(path, _problems).Select(setting => setting.Name));
    }

    [Fact]
    public void Read_FileThatIncludesItself_IsRefused()
    {
        string path = _files.Write("c.conf", "include c.conf");
        ConfigFile.Read(path, _problems);
        Assert.Equal([$"{path}, line 1: files include each other more than 8 deep."], _problems);
    }

    [Fact]
    public void Read_OpenQuotes_AreNamedEachWithFileAndLine()
    {
        string path = _files.Write("c.conf", "port 1\nrequirepass \"x\ninclude\nbind 'x\ntimeout 2");
        Assert.Equal(["port", "timeout"], ConfigFile.Read(path, _problems).Select(setting => setting.Name));
        Assert.Equal(
            [
                $"{path}, line 2: a quote is not closed, or not followed by a space.",
                $"{path}, line 3: include needs one path.",
                $"{path}, line 4: a quote is not closed, or not followed by a space.",
            ],
            _problems);
    }

    [Fact]
    public void Read_MissingFile_IsNamed()
    {
        ConfigFile.Read(_files.PathOf("none.conf"), _problems);
        Assert.Contains("none.conf", Assert.Single(_problems), StringComparison.Ordinal);
    }

    [Fact]
    public void Read_IncludeOfAPathThatNoFileCanHave_IsNamedByItsLine()
    {
        string path = _files.Write("c.conf", "port 1\ninclude \"a\\x00b\"\n");
        Assert.Single(ConfigFile.Read(path, _problems));
        Assert.StartsWith($"{path}, line 2: ", Assert.Single(_problems), StringComparison.Ordinal);
    }

    [Fact]
    public void Read_IncludeOfAPattern_ReadsAllThatMatchInOrder()
    {
        _files.Write("b.part", "timeout 2");
        _files.Write("a.part", "timeout 1");
        string path = _files.Write("c.conf", "include *.part\ninclude *.none\ninclude none.part\n");
        Assert.Equal(["1", "2"], ConfigFile.Read(path, _problems).Select(setting => setting.Text));
        Assert.StartsWith($"{path}, line 3: ", Assert.Single(_problems), StringComparison.Ordinal);
    }

    // An administrator may read it all the same; then there is nothing to see.
    [Fact]
    public void Read_IncludeOfAFolderThatMayNotBeRead_NamesIt()
    {
        if (OperatingSystem.IsWindows() || Environment.IsPrivilegedProcess)
            return;
        string folder = _files.PathOf("closed");
        Directory.CreateDirectory(folder, UnixFileMode.None);
        string path = _files.Write("c.conf", "include closed/*.conf\n");

        Assert.Empty(ConfigFile.Read(path, _problems));

        File.SetUnixFileMode(folder, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        Assert.StartsWith(
            $"{path}, line 1: The folder cannot be read: ", Assert.Single(_problems), StringComparison.Ordinal);
    }

    public void Dispose() => _files.Dispose();
}
