using System.Buffers;
using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Cache.Server.Security;

/// <summary>A name of a certificate: one of its alternative names, or its thumbprint.</summary>
/// <param name="Kind">The kind of name.</param>
/// <param name="Text">The normalized text: equal names have equal texts.</param>
internal readonly record struct CertificateName(CertificateNameKind Kind, string Text)
{
    /// <summary>The forms that <see cref="TryParse"/> accepts, for error messages.</summary>
    public const string Forms = "a DNS name, an e-mail address, a URI, or sha256: and 64 hexadecimal digits";

    private const string ThumbprintPrefix = "sha256:";
    private const string AlternativeNamesOid = "2.5.29.17";

    // Two characters before a colon are a thumbprint without its prefix, as tools print it; no URI begins so.
    private const int SchemeLengthMin = 3;

    private static readonly SearchValues<char> _hexadecimal = SearchValues.Create("0123456789ABCDEF");

    /// <summary>Reads a name as the operator writes it; its form tells the kind.</summary>
    /// <returns>Null if it has none of the <see cref="Forms"/>. There are no patterns.</returns>
    public static CertificateName? TryParse(string text)
    {
        if (text.StartsWith(ThumbprintPrefix, StringComparison.OrdinalIgnoreCase))
            return TryParseThumbprint(text[ThumbprintPrefix.Length..]);
        if (text.Length == 0 || text.AsSpan().ContainsAnyExceptInRange('!', '~'))
            return null;
        int colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon >= 0)
            return IsUri(text, colon) ? new CertificateName(CertificateNameKind.Uri, text) : null;
        int at = text.IndexOf('@', StringComparison.Ordinal);
        if (at >= 0)
            return at > 0 && IsDns(text[(at + 1)..]) ? new CertificateName(CertificateNameKind.Email, text) : null;
        return IsDns(text) ? FromDns(text) : null;
    }

    /// <summary>All names of a certificate: its thumbprint, then its alternative names in their order.</summary>
    public static List<CertificateName> ReadAll(X509Certificate2 certificate)
    {
        List<CertificateName> names =
            [new(CertificateNameKind.Thumbprint, certificate.GetCertHashString(HashAlgorithmName.SHA256))];
        foreach (var extension in certificate.Extensions)
        {
            if (extension.Oid?.Value == AlternativeNamesOid)
                names.AddRange(ReadAlternativeNames(extension.RawData));
        }

        return names;
    }

    private static CertificateName? TryParseThumbprint(string text)
    {
        string digits = text.Replace(":", "", StringComparison.Ordinal).ToUpperInvariant();
        return digits.Length == 2 * SHA256.HashSizeInBytes && !digits.AsSpan().ContainsAnyExcept(_hexadecimal)
            ? new CertificateName(CertificateNameKind.Thumbprint, digits)
            : null;
    }

    private static bool IsUri(string text, int colon) =>
        colon >= SchemeLengthMin && colon < text.Length - 1 && Uri.CheckSchemeName(text[..colon]);

    private static bool IsDns(string text) => Uri.CheckHostName(text) == UriHostNameType.Dns;

    private static CertificateName FromDns(string text) => new(CertificateNameKind.Dns, text.ToLowerInvariant());

    // GeneralNames of RFC 5280: a sequence of strings, each tagged with its kind. A malformed sequence has no names.
    private static List<CertificateName> ReadAlternativeNames(byte[] der)
    {
        var names = new List<CertificateName>();
        try
        {
            var reader = new AsnReader(der, AsnEncodingRules.DER);
            var sequence = reader.ReadSequence();
            reader.ThrowIfNotEmpty();
            while (sequence.HasData)
            {
                if (TryReadName(sequence) is { } name)
                    names.Add(name);
            }
        }
        catch (AsnContentException)
        {
            return [];
        }

        return names;
    }

    private static CertificateName? TryReadName(AsnReader sequence)
    {
        const int Email = 1;
        const int Dns = 2;
        const int UniformResourceIdentifier = 6;
        var tag = sequence.PeekTag();
        if (tag is not { TagClass: TagClass.ContextSpecific, TagValue: Email or Dns or UniformResourceIdentifier })
        {
            sequence.ReadEncodedValue();
            return null;
        }

        string text = sequence.ReadCharacterString(UniversalTagNumber.IA5String, tag);
        return tag.TagValue switch
        {
            Dns => FromDns(text),
            Email => new CertificateName(CertificateNameKind.Email, text),
            _ => new CertificateName(CertificateNameKind.Uri, text),
        };
    }
}
