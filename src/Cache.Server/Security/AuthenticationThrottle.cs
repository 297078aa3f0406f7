using System.Net;

namespace Cache.Server.Security;

/// <summary>
/// Slows down guessing of passwords: after failures, the replies to an address's attempts are delayed.
/// </summary>
/// <remarks>
/// Right and wrong attempts wait equally long: else a guesser would take a delay for a failure and move on. So a client
/// that knows its password waits too, but never longer than <see cref="DelayMsMax"/>, and only if it has the guesser's
/// address. A success does not clear an address, since a guesser may know one password. Addresses are forgotten a
/// minute after their last failure, or when there are too many. Thread-safe.
/// </remarks>
internal sealed class AuthenticationThrottle
{
    /// <summary>The longest delay: some 30,000 guesses a day by one address and connection.</summary>
    public const int DelayMsMax = 3000;

    // Short enough that a few mistyped passwords cause no noticeable delay.
    private const int FreeFailures = 3;
    private const int DelayMsMin = 100;
    private const long ForgottenAfterMs = 60_000;

    // The most addresses that are remembered: 100 KB.
    private const int AddressCountMax = 1024;

    // The usual IPv6 network of one customer.
    private const int NetworkBytes = 8;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, Failures> _byAddress = new(StringComparer.Ordinal);

    /// <summary>The number of remembered addresses.</summary>
    public int AddressCount => _byAddress.Count;

    /// <summary>How long to delay the reply to an attempt.</summary>
    /// <param name="client">The address with its port, or the path of a Unix socket.</param>
    /// <param name="nowMs">Milliseconds of any clock.</param>
    public int GetDelayMs(string client, long nowMs)
    {
        lock (_lock)
        {
            if (_byAddress.Count == 0 || !_byAddress.TryGetValue(KeyOf(client), out var failures)
                || nowMs - failures.LastMs > ForgottenAfterMs || failures.Count < FreeFailures)
                return 0;
            int doublings = Math.Min(failures.Count - FreeFailures, 16);
            return Math.Min(DelayMsMin << doublings, DelayMsMax);
        }
    }

    public void AddFailure(string client, long nowMs)
    {
        string key = KeyOf(client);
        lock (_lock)
        {
            bool isKnown = _byAddress.TryGetValue(key, out var failures)
                && nowMs - failures.LastMs <= ForgottenAfterMs;
            if (!isKnown && _byAddress.Count >= AddressCountMax)
                Forget(nowMs);
            _byAddress[key] = new Failures(isKnown ? failures.Count + 1 : 1, nowMs);
        }
    }

    // Those whose time is over, else the one whose last failure is oldest.
    private void Forget(long nowMs)
    {
        string oldest = "";
        long oldestMs = long.MaxValue;
        foreach (var (address, failures) in _byAddress)
        {
            if (nowMs - failures.LastMs > ForgottenAfterMs)
                _byAddress.Remove(address);
            if (failures.LastMs >= oldestMs)
                continue;
            oldest = address;
            oldestMs = failures.LastMs;
        }

        _byAddress.Remove(oldest);
    }

    private static string KeyOf(string client)
    {
        if (!IPEndPoint.TryParse(client, out var endPoint))
            return client;
        var address = endPoint.Address.IsIPv4MappedToIPv6 ? endPoint.Address.MapToIPv4() : endPoint.Address;
        byte[] bytes = address.GetAddressBytes();
        return Convert.ToHexString(bytes, 0, Math.Min(bytes.Length, NetworkBytes));
    }

    private readonly record struct Failures(int Count, long LastMs);
}
