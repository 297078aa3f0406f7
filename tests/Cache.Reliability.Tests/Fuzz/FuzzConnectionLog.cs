using System.Buffers;
using System.Text;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>What one connection of a session sent and received, and whether that fits together.</summary>
internal sealed class FuzzConnectionLog
{
    private readonly ArrayBufferWriter<byte> _sent = new();
    private readonly ArrayBufferWriter<byte> _received = new();

    public void Sent(ReadOnlySpan<byte> bytes) => _sent.Write(bytes);

    public void Received(ReadOnlySpan<byte> bytes) => _received.Write(bytes);

    /// <summary>Compares the replies with what the requests deserve.</summary>
    /// <param name="isWhole">Whether the connection was read to its end, or the server has nothing more to say.</param>
    /// <param name="wasClosed">Whether the server has closed it; null: not known.</param>
    /// <param name="isUnsettled">Whether the connection may have ended before its time.</param>
    /// <returns>How many requests were executed, at the most.</returns>
    /// <exception cref="FuzzFailureException">They do not fit.</exception>
    public int Check(bool isWhole, bool? wasClosed, bool isUnsettled)
    {
        byte[] sent = _sent.WrittenSpan.ToArray();
        bool takesVersion3 = Encoding.Latin1.GetString(sent).Contains("hello", StringComparison.OrdinalIgnoreCase);
        var expected = ExpectedReplies.Of(sent);
        var replies = ReplyScanner.Scan(_received.WrittenSpan.ToArray(), takesVersion3);
        bool isExact = isWhole && expected.IsExact && !isUnsettled;

        // A subscription has a reply for each name, and what others publish comes between the replies.
        bool isCounted = !Encoding.Latin1.GetString(sent).Contains("subscribe", StringComparison.OrdinalIgnoreCase);
        bool isWrong = isExact
            ? replies.Replies != expected.Replies || replies.IsCut
            : replies.Replies > expected.Replies + 1;
        if (isCounted && isWrong)
        {
            throw new FuzzFailureException(
                $"{replies.Replies} replies{(replies.IsCut ? " and a part" : "")}, not {expected.Replies}, to "
                + $"{expected.Requests} requests: {FuzzText.Escape(sent.AsSpan(0, Math.Min(400, sent.Length)))}");
        }

        if (isExact && wasClosed is { } closed && closed != expected.Ends)
            throw new FuzzFailureException($"Closed by the server: {closed}; it should be: {expected.Ends}.");
        return expected.Requests;
    }
}
