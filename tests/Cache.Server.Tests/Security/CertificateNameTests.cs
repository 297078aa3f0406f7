using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Cache.Server.Security;
using Cache.Server.Tests.Transport.Tls;

namespace Cache.Server.Tests.Security;

/// <summary>What names are read from a text and from a certificate.</summary>
public sealed class CertificateNameTests
{
    [Theory]
    [InlineData("alice", "Dns", "alice")]
    [InlineData("Alice.Example", "Dns", "alice.example")]
    [InlineData("Alice@Example", "Email", "Alice@Example")]
    [InlineData("spiffe://Example/a@b", "Uri", "spiffe://Example/a@b")]
    [InlineData("urn:uuid:1", "Uri", "urn:uuid:1")]
    [InlineData(
        "SHA256:0011223344556677 8899aabbccddeeff00112233445566778899aabbccddeeff", null, null)]
    [InlineData(
        "SHA256:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00112233445566778899aabbccddeeff",
        "Thumbprint",
        "00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF")]
    public void TryParse_Text_TellsTheKind(string text, string? kind, string? normal)
    {
        var name = CertificateName.TryParse(text);

        Assert.Equal((kind, normal), (name?.Kind.ToString(), name?.Text));
    }

    [Fact]
    public void ReadAll_Certificate_HasItsThumbprintAndItsNamesInOrder()
    {
        var names = new SubjectAlternativeNameBuilder();
        names.AddUri(new Uri("spiffe://example/a"));
        names.AddIpAddress(System.Net.IPAddress.Loopback);
        names.AddEmailAddress("a@example");
        names.AddDnsName("A.Example");
        using var certificate = TestCertificates.MakeBare(names.Build());

        Assert.Equal(
            [
                new(CertificateNameKind.Thumbprint, certificate.GetCertHashString(HashAlgorithmName.SHA256)),
                new(CertificateNameKind.Uri, "spiffe://example/a"),
                new(CertificateNameKind.Email, "a@example"),
                new(CertificateNameKind.Dns, "a.example"),
            ],
            CertificateName.ReadAll(certificate));
    }

    // A sequence of a DNS name "a", and behind it: nothing that ends, a name that is no ASCII, more than the sequence.
    [Theory]
    [InlineData("30048201618203")]
    [InlineData("300682016182018F")]
    [InlineData("30038201610500")]
    [InlineData("")]
    [InlineData("FF")]
    public void ReadAll_MalformedNames_HasTheThumbprintOnly(string der)
    {
        var extension = new X509Extension("2.5.29.17", Convert.FromHexString(der), critical: false);
        using var certificate = TestCertificates.MakeBare(extension);

        Assert.Equal(
            CertificateNameKind.Thumbprint, Assert.Single(CertificateName.ReadAll(certificate)).Kind);
    }

    [Fact]
    public void ReadAll_TheSameNamesWellFormed_HasThem()
    {
        var extension = new X509Extension("2.5.29.17", Convert.FromHexString("3003820161"), critical: false);
        using var certificate = TestCertificates.MakeBare(extension);

        Assert.Equal(
            new(CertificateNameKind.Dns, "a"), CertificateName.ReadAll(certificate).Last());
    }
}
