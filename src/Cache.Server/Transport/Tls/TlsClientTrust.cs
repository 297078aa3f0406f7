using System.Collections.Concurrent;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Server.Transport.Tls;

/// <summary>Whether clients' certificates are trusted.</summary>
/// <remarks>
/// A resumed session has the client's certificate, but not the intermediate ones that the client sent in the first
/// handshake. So these are kept as long as sessions can be resumed: both belong to one reading of the files.
/// Thread-safe.
/// </remarks>
/// <param name="isRequired">Whether a client without a certificate is refused.</param>
internal sealed class TlsClientTrust(bool isRequired)
{
    // There are few authorities between a root and its clients; the bound is for a malicious one that creates others.
    private const int IntermediatesMax = 256;

    private readonly ConcurrentDictionary<string, X509Certificate2> _intermediates = new();

    /// <summary>The answer to a handshake: a <see cref="RemoteCertificateValidationCallback"/>.</summary>
    public bool Validate(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        if (errors == SslPolicyErrors.RemoteCertificateNotAvailable)
            return !isRequired;
        if (errors == SslPolicyErrors.RemoteCertificateChainErrors && !_intermediates.IsEmpty)
            return certificate is X509Certificate2 client && chain is not null && IsTrustedByThoseKept(client, chain);
        if (errors != SslPolicyErrors.None)
            return false;
        if (chain is not null)
            Keep(chain.ChainElements);
        return true;
    }

    private bool IsTrustedByThoseKept(X509Certificate2 client, X509Chain chain)
    {
        foreach (var (_, intermediate) in _intermediates)
            chain.ChainPolicy.ExtraStore.Add(intermediate);
        return chain.Build(client);
    }

    // Copies: the elements of a chain are disposed with it.
    private void Keep(X509ChainElementCollection elements)
    {
        for (int i = 1; i < elements.Count - 1 && _intermediates.Count < IntermediatesMax; i++)
        {
            var intermediate = elements[i].Certificate;
            string hash = intermediate.GetCertHashString(HashAlgorithmName.SHA256);
            if (!_intermediates.ContainsKey(hash))
                _intermediates[hash] = X509CertificateLoader.LoadCertificate(intermediate.RawData);
        }
    }
}
