using System.Diagnostics;

namespace Cache.Protocol;

/// <summary>Writes requests into memory of its own, one behind the other.</summary>
/// <remarks>Concurrency: one thread at a time. Invariant: the requests are complete while none is begun.</remarks>
internal sealed class RespRequestWriter
{
    // A few small requests; grown by doubling.
    private const int InitialBytes = 512;

    private byte[] _bytes = [];
    private int _argumentsLeft;

    /// <summary>The bytes of the requests.</summary>
    public ReadOnlyMemory<byte> Written => _bytes.AsMemory(0, Length);

    public int Length { get; private set; }

    /// <summary>Begins a request; so many arguments follow, the command's name among them.</summary>
    public RespRequestWriter Begin(int argumentCount)
    {
        Debug.Assert(_argumentsLeft == 0 && argumentCount > 0);
        _argumentsLeft = argumentCount;
        Length += RespHeader.Write(Reserve(RespHeader.LengthMax), (byte)'*', argumentCount);
        return this;
    }

    public RespRequestWriter Add(ReadOnlySpan<byte> argument)
    {
        Debug.Assert(_argumentsLeft > 0);
        _argumentsLeft--;
        var room = Reserve(RespHeader.LengthMax + argument.Length + 2);
        int at = RespHeader.Write(room, (byte)'$', argument.Length);
        argument.CopyTo(room[at..]);
        at += argument.Length;
        room[at] = (byte)'\r';
        room[at + 1] = (byte)'\n';
        Length += at + 2;
        return this;
    }

    public RespRequestWriter Add(long number)
    {
        Span<byte> text = stackalloc byte[RespDouble.LengthMax];
        return Add(text[..RespDouble.FormatWhole(number, text)]);
    }

    /// <summary>Adds requests that were written before.</summary>
    public void AddRequests(ReadOnlySpan<byte> requests)
    {
        Debug.Assert(_argumentsLeft == 0);
        requests.CopyTo(Reserve(requests.Length));
        Length += requests.Length;
    }

    /// <summary>Forgets the requests, and gives the memory of long ones back.</summary>
    public void Clear(int keptBytesMax)
    {
        Debug.Assert(_argumentsLeft == 0);
        Length = 0;
        if (_bytes.Length > keptBytesMax)
            _bytes = [];
    }

    private Span<byte> Reserve(int bytes)
    {
        if (_bytes.Length - Length < bytes)
        {
            long wanted = Math.Max(Length + (long)bytes, Math.Max(InitialBytes, _bytes.Length * 2L));
            Array.Resize(ref _bytes, (int)Math.Min(wanted, Array.MaxLength));
        }

        Debug.Assert(_bytes.Length - Length >= bytes);
        return _bytes.AsSpan(Length);
    }
}
