using System.Text;
using Cache.Server.Protocol;

namespace Cache.Server.Tests.Protocol;

/// <summary>Gives a reader bytes in pieces, as a connection does, and writes down what it reads.</summary>
/// <remarks>
/// Before each try the unread bytes are copied to a fresh array between guard bytes, so that a reader that remembers a
/// span, or looks at more than it was given, is found out.
/// </remarks>
internal sealed class RequestFeeder(RespRequestReader reader)
{
    private const byte Guard = 0xCC;
    private const int GuardCount = 32;

    private readonly List<string> _read = [];
    private byte[] _pending = [];
    private int _needed;

    /// <summary>Tries that were made; a reader that spins makes too many.</summary>
    public int Tries { get; private set; }

    public static IReadOnlyList<string> Read(ReadOnlySpan<byte> payload, IReadOnlyList<int> pieces) =>
        Read(new RespRequestReader(), payload, pieces);

    public static IReadOnlyList<string> Read(
        RespRequestReader reader, ReadOnlySpan<byte> payload, IReadOnlyList<int> pieces)
    {
        var feeder = new RequestFeeder(reader);
        int at = 0;
        foreach (int length in pieces)
        {
            feeder.Feed(payload.Slice(at, length));
            at += length;
        }

        return feeder._read;
    }

    public void Feed(ReadOnlySpan<byte> piece)
    {
        _pending = [.. _pending, .. piece];
        while (_pending.Length >= _needed && _pending.Length > 0 && Step())
        {
        }
    }

    private bool Step()
    {
        var guarded = new byte[_pending.Length + 2 * GuardCount];
        Array.Fill(guarded, Guard);
        _pending.CopyTo(guarded, GuardCount);
        var input = guarded.AsSpan(GuardCount, _pending.Length);
        Tries++;
        var status = reader.TryRead(input);
        switch (status)
        {
            case RespReadStatus.Incomplete:
                Assert.True(reader.BytesNeeded > _pending.Length, "Incomplete, but nothing more is needed.");
                _needed = reader.BytesNeeded;
                return false;
            case RespReadStatus.ProtocolError:
                _read.Add("-" + Encoding.Latin1.GetString(reader.Error));
                _pending = [];
                _needed = int.MaxValue;
                return false;
            case RespReadStatus.Complete:
                _read.Add(Describe(reader.GetRequest(input)));
                break;
        }

        Assert.InRange(reader.Consumed, 1, _pending.Length);
        _pending = _pending[reader.Consumed..];
        _needed = 0;
        return _pending.Length > 0;
    }

    private static string Describe(RespRequest request)
    {
        var words = new string[request.Count];
        for (int i = 0; i < words.Length; i++)
            words[i] = Encoding.Latin1.GetString(request[i]);
        return string.Join('|', words);
    }
}
