using System.Net;
using System.Net.Security;
using System.Net.Sockets;

namespace Cache.Bench.ServerLoad;

/// <summary>What a load consists of.</summary>
internal sealed record LoadOptions
{
    /// <summary>Requests of one batch lie in one array per connection.</summary>
    public const long BatchBytesMax = 1 << 29;

    public required EndPoint Target { get; init; }

    /// <summary>How TLS is spoken; null for not.</summary>
    public SslClientAuthenticationOptions? Tls { get; init; }

    public string? Password { get; init; }

    public bool Preload { get; init; }

    public long Keys { get; init; } = 100_000;

    public int KeyBytes { get; init; } = 16;

    public int ValueBytes { get; init; } = 256;

    public int GetShare { get; init; } = 4;

    public int SetShare { get; init; } = 1;

    /// <summary>The keys' distribution; null when all are equally likely.</summary>
    public ZipfDistribution? Zipf { get; init; }

    public int Connections { get; init; } = 50;

    public int Pipeline { get; init; } = 1;

    /// <summary>Operations per second, sent whether the server keeps up or not; 0 for a closed loop.</summary>
    public double Rate { get; init; }

    public double Seconds { get; init; } = 5;

    /// <summary>Operations per round; 0 for as many as the time allows.</summary>
    public long Requests { get; init; }

    public int Rounds { get; init; } = 3;

    public double WarmupSeconds { get; init; } = 1;

    /// <summary>The server's process on this machine, whose CPU time and memory are read.</summary>
    public int? ProcessId { get; init; }

    public ulong Seed { get; init; }

    public bool VerifyValues { get; init; } = true;

    public bool RequireHits { get; init; }

    /// <summary>Reads HOST:PORT, [IPV6]:PORT or unix:PATH.</summary>
    public static bool TryParseTarget(string text, out EndPoint target)
    {
        target = new IPEndPoint(IPAddress.Loopback, 0);
        if (text.StartsWith("unix:", StringComparison.Ordinal) && text.Length > "unix:".Length)
        {
            target = new UnixDomainSocketEndPoint(text["unix:".Length..]);
            return true;
        }

        int colon = text.LastIndexOf(':');
        if (colon < 1 || !ushort.TryParse(text[(colon + 1)..], out ushort port) || port == 0)
            return false;
        string host = text[..colon].Trim('[', ']');
        target = new DnsEndPoint(host, port);
        if (IPAddress.TryParse(host, out var address))
            target = new IPEndPoint(address, port);
        return true;
    }

    /// <summary>Reads GET:SET, two shares of which one may be 0.</summary>
    public static bool TryParseRatio(string text, out int getShare, out int setShare)
    {
        string[] shares = text.Split(':');
        setShare = 0;
        return int.TryParse(shares[0], out getShare) && shares.Length == 2 && int.TryParse(shares[1], out setShare)
            && getShare >= 0 && setShare >= 0 && getShare + (long)setShare is > 0 and <= int.MaxValue;
    }

    /// <summary>Every option that is out of its range, as a sentence that names it, its value and the range.</summary>
    public IEnumerable<string> FindProblems()
    {
        long keysMax = RequestEncoder.KeysMax(KeyBytes);
        if (KeyBytes is < RequestEncoder.KeyBytesMin or > 4096)
            yield return $"--key-bytes is {KeyBytes}; it must be between {RequestEncoder.KeyBytesMin} and 4096.";
        else if (Keys < 1 || Keys > keysMax)
            yield return $"--keys is {Keys}; with {KeyBytes} bytes a key it must be between 1 and {keysMax}.";
        if (ValueBytes is < ValuePattern.BytesMin or > (int)BatchBytesMax)
            yield return $"--value is {ValueBytes}; it must be between {ValuePattern.BytesMin} and {BatchBytesMax}.";
        if (Connections is < 1 or > 60_000)
            yield return $"--connections is {Connections}; it must be between 1 and 60000.";
        if (Pipeline is < 1 or > 100_000)
            yield return $"--pipeline is {Pipeline}; it must be between 1 and 100000.";
        else if ((long)Pipeline * (ValueBytes + KeyBytes + 64) > BatchBytesMax)
            yield return $"--pipeline is {Pipeline}; with such values a batch is over {BatchBytesMax} bytes.";
        if (!(Rate >= 0))
            yield return $"--rate is {Rate}; it must be 0 or more.";
        if (!(Seconds is > 0 and <= 86_400))
            yield return $"--seconds is {Seconds}; it must be above 0 and at most 86400.";
        if (!(WarmupSeconds is >= 0 and <= 86_400))
            yield return $"--warmup is {WarmupSeconds}; it must be between 0 and 86400.";
        if (Requests < 0 || (Requests > 0 && Requests < Connections))
            yield return $"--requests is {Requests}; it must be 0, or one for each of {Connections} connections.";
        if (Rounds is < 0 or > 10_000)
            yield return $"--rounds is {Rounds}; it must be between 0 and 10000.";
    }
}
