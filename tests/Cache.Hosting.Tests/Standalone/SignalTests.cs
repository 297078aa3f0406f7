using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Hosting.Tests.Standalone;

/// <summary>What signals do to the program, as a process of its own.</summary>
public sealed class SignalTests : IDisposable
{
    private readonly TemporaryFiles _files = new();

    [Theory]
    [InlineData("HUP")]
    [InlineData("USR1")]
    [InlineData("USR2")]
    [InlineData("PIPE")]
    public async Task Signal_ThatIsNoStop_LeavesTheServerRunning(string signal)
    {
        if (OperatingSystem.IsWindows())
            return;
        await using var server = Start("--port", FreePort.Find());
        await using var client = await server.ConnectAsync();
        await client.ExpectAsync("SET a 1", "+OK\r\n");
        for (int i = 0; i < 3; i++)
            await server.SignalAsync(signal);
        await client.ExpectAsync("GET a", "$1\r\n1\r\n");
        await server.SignalAsync("TERM");
        Assert.Equal(0, await server.WaitForExitAsync());
        Assert.Contains("Stopped", server.Lines.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task HangUp_ReloadsWhatHasChanged_AndSaysOfEachWhatCameOfIt()
    {
        if (OperatingSystem.IsWindows())
            return;
        WriteCertificate("one");
        string acl = _files.Write("users.acl", "user alice on nopass +@all ~*\n");
        string conf = _files.Write("c.conf", "loglevel notice\n");
        await using var server = Start(
            conf, "--port", FreePort.Find(), "--tls-port", FreePort.Find(), "--tls-cert-file", "c.pem",
            "--tls-key-file", "k.pem", "--tls-auth-clients", "no", "--aclfile", acl);
        await using var client = await server.ConnectAsync();
        await client.ExpectAsync("AUTH alice x", "+OK\r\n");

        await server.SignalAsync("HUP");
        await server.WaitForAsync("TLS keeps its certificate: the files are unchanged");
        await server.WaitForAsync($"Users of {acl}: unchanged");
        await server.WaitForAsync("Log level: unchanged");
        await client.ExpectAsync("ACL WHOAMI", "$5\r\nalice\r\n");

        _files.Write("users.acl", "user alice on nopass +nope\n");
        _files.Write("c.conf", "loglevel loud\n");
        await server.SignalAsync("HUP");
        await server.WaitForAsync($"Users of {acl}: not reloaded, the file is wrong: {acl}:1: ");
        await server.WaitForAsync(
            $"Log level: stays as it was, for the configuration is wrong: {conf}, line 1: loglevel is 'loud'");
        await client.ExpectAsync("ACL WHOAMI", "$5\r\nalice\r\n");

        WriteCertificate("other");
        _files.Write("users.acl", "user bob on nopass +@all ~*\n");
        _files.Write("c.conf", "loglevel debug\n");
        await server.SignalAsync("HUP");
        await server.WaitForAsync("TLS uses a new certificate: CN=other");
        await server.WaitForAsync($"Users of {acl}: reloaded");
        await server.WaitForAsync("Log level: reloaded, it is debug from now on");
        Assert.Equal("", await client.ReadAsync(1));
        await using var next = await server.ConnectAsync();
        await next.ExpectAsync("AUTH bob x", "+OK\r\n");
        await server.WaitForAsync("connected from");
    }

    [Fact]
    public void HangUp_BeforeTheEndOfTheStart_IsDoneAfterIt()
    {
        using var signals = new Cache.Tool.Standalone.Signals();
        int reloads = 0;
        signals.HangUp();
        signals.HangUp();
        signals.OnHangUp(() => reloads++);
        Assert.Equal(1, reloads);
        signals.HangUp();
        Assert.Equal(2, reloads);
    }

    [Fact]
    public async Task HangUp_WhatOnlyAStartTakesHasChanged_NamesIt()
    {
        if (OperatingSystem.IsWindows())
            return;
        string port = FreePort.Find();
        string conf = _files.Write("c.conf", $"port {port}\nmaxmemory 64mb\nuser alice on\n");
        await using var server = Start(conf);
        await using var client = await server.ConnectAsync();
        _files.Write("c.conf", $"# the same\nport {port}\nmaxmemory 65mb\nuser alice on\nuser bob on\nhz 5\n");
        await server.SignalAsync("HUP");
        await server.WaitForAsync("Changed, but not reloaded: hz, maxmemory, user. A restart takes them");
        await server.WaitForAsync("Log level: unchanged");
    }

    public void Dispose() => _files.Dispose();

    private void WriteCertificate(string name)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        using var certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.MaxValue);
        _files.Write("k.pem", key.ExportPkcs8PrivateKeyPem());
        _files.Write("c.pem", certificate.ExportCertificatePem());
    }

    private StandaloneProcess Start(params string[] arguments) =>
        StandaloneProcess.Start(_files.PathOf(""), arguments);
}
