using System.Net.Security;

namespace Cache.Server.Transport.Tls;

/// <summary>
/// The certificate and trust for new handshakes: read from files, and again when one of them changes.
/// </summary>
/// <remarks>
/// The files are checked regularly: file system watches miss changes behind links and on network shares. Their times
/// and lengths from before reading are kept, so that a change during it is found the next time. Files that cannot be
/// used are read again at each check, since the cause may not show in their times, such as permissions.
/// Concurrency: one check at a time; <see cref="Current"/> is replaced as a whole, and handshakes under way keep
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
    /// <param name="problems">Receives an error for each file that cannot be read or has the wrong content.</param>
    /// <returns>Null if there is an error.</returns>
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

    /// <summary>Checks now, after waiting for a check that is under way; reports problems again.</summary>
    /// <returns>Whether the files are unchanged; if not, the settings' callbacks were called with the result.</returns>
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

    // Of a link's target: secrets are often exchanged by changing a link.
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
                // Reading reports the problem.
                text.Append(e.Message).Append('\n');
            }
        }

        return text.ToString();
    }
}
