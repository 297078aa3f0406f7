using System.Net.Sockets;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>A socket's stream that looks at the records on their way, and can lose the end of what is sent.</summary>
internal sealed class RecordTap(Socket socket) : NetworkStream(socket)
{
    private const int HeaderBytes = 5;

    private readonly byte[] _header = new byte[HeaderBytes];
    private int _headerLength;
    private int _bodyLeft;

    /// <summary>How many bytes more are sent; the others are lost.</summary>
    public int BytesLeft { get; set; } = int.MaxValue;

    /// <summary>The type of the last record that was received.</summary>
    public byte LastRecordType { get; private set; }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int count = await base.ReadAsync(buffer, cancellationToken);
        Look(buffer.Span[..count]);
        return count;
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int count = Math.Min(buffer.Length, BytesLeft);
        BytesLeft -= BytesLeft == int.MaxValue ? 0 : count;
        return base.WriteAsync(buffer[..count], cancellationToken);
    }

    private void Look(ReadOnlySpan<byte> bytes)
    {
        foreach (byte one in bytes)
        {
            if (_bodyLeft > 0)
            {
                _bodyLeft--;
                continue;
            }

            _header[_headerLength++] = one;
            if (_headerLength < HeaderBytes)
                continue;
            LastRecordType = _header[0];
            _bodyLeft = (_header[3] << 8) | _header[4];
            _headerLength = 0;
        }
    }
}
