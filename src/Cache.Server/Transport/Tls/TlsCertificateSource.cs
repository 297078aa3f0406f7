using System.Net.Security;

namespace Cache.Server.Transport.Tls;

/// <summary>What the next handshake takes: read from the files, and again when one of them has changed.</summary>
/// <remarks>
/// The files are looked at regularly: watches of a file system miss changes behind links and on network shares. Their
/// times and lengths before reading are kept, so that a change during it is found the next time. Files that cannot be
/// used are read again with each look, for what was wrong may be no change of them, as rights that are given later.
/// Concurrency: one look at a time; <see cref="Current"/> is replaced whole, and handshakes under way go on with
/// theirs.
/// </remarks>
internal sealed class TlsCertificateSource : IDisposable
{
    /// <summary>How often the files are checked: soon enough for an operator, and cheap.</summary>
    public static readonly TimeSpan LookInterval = TimeSpan.FromSeconds(1);

    private readonly TlsSettings _settings;
    private readonly ITimer _timer;
    private readonly Lock _looking = new();
    private volatile SslServerAuthenticationOptions _current;
    private string _seen;
    private string? _refused;

    private TlsCertificateSource(TlsSettings settings, string seen, SslServerAuthenticationOptions current)
    {
        _settings = settings;
        _seen = seen;
        _current = current;
        _timer = settings.TimeProvider.CreateTimer(
            static self => ((TlsCertificateSource)self!).TryLook(), this, LookInterval, LookInterval);
    }

    /// <summary>Reads the files for the first time.</summary>
    /// <param name="settings">The files.</param>
    /// <param name="problems">Gets every file that cannot be read, or does not hold what it should.</param>
    /// <returns>Null if there is such a file.</returns>
    public static TlsCertificateSource? Open(TlsSettings settings, List<string> problems)
    {
        string seen = Describe(settings);
        return TlsCertificateReader.Read(settings, problems) is { } current
            ? new TlsCertificateSource(settings, seen, current)
            : null;
    }

    /// <summary>The certificate and the rules; never changed in place.</summary>
    public SslServerAuthenticationOptions Current => _current;

    public void Dispose() => _timer.Dispose();

    /// <summary>Looks now, and waits for a look that is under way; what is wrong is told of again.</summary>
    /// <returns>Whether the files are unchanged; if not, the settings' callbacks were told what came of it.</returns>
    public bool LookNow()
    {
        _looking.Enter();
        _refused = null;
        return Look();
    }

    private void TryLook()
    {
        // A slow disk must not gather timers.
        if (_looking.TryEnter())
            Look();
    }

    // Leaves the lock.
    private bool Look()
    {
        string seen = "";
        try
        {
            seen = Describe(_settings);
            if (seen == _seen)
                return true;
            var problems = new List<string>();
            _current = TlsCertificateReader.Read(_settings, problems)
                ?? throw new IOException(string.Join('\n', problems));
            _seen = seen;
            _refused = null;
            _settings.Reloaded?.Invoke(_current.ServerCertificateContext!.TargetCertificate.Subject);
        }
#pragma warning disable CA1031 // A timer's exception would end the process.
        catch (Exception e)
#pragma warning restore CA1031
        {
            if (seen != _refused)
                _settings.ReloadFailed?.Invoke(e as IOException ?? new IOException(e.Message, e));
            _refused = seen;
        }
        finally
        {
            _looking.Exit();
        }

        return false;
    }

    // Of what a link leads to: secrets are often exchanged by another link.
    private static string Describe(TlsSettings settings)
    {
        var text = new System.Text.StringBuilder();
        foreach (string file in settings.Files)
        {
            try
            {
                var info = new FileInfo(file);
                if (info.LinkTarget is not null && info.ResolveLinkTarget(returnFinalTarget: true) is FileInfo target)
                    info = target;
                text.Append(info.FullName).Append(' ').Append(info.LastWriteTimeUtc.Ticks).Append(' ');
                text.Append(info.Exists ? info.Length : -1).Append('\n');
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
            {
                // Reading says what is wrong with it.
                text.Append(e.Message).Append('\n');
            }
        }

        return text.ToString();
    }
}
