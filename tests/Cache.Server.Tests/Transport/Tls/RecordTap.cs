using System.Net.Sockets;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>A socket's stream that looks at the records on their way, and can lose the end of what is sent.</summary>
internal sealed class RecordTap(Socket socket) : NetworkStream(socket)
{
    private const int HeaderBytes = 5;

    private const byte Handshake = 22;

    private readonly byte[] _header = new byte[HeaderBytes];
    private readonly List<byte> _handshake = [];
    private bool _isEncrypted;
    private int _headerLength;
    private int _bodyLeft;

    /// <summary>How many bytes more are sent; the others are lost.</summary>
    public int BytesLeft { get; set; } = int.MaxValue;

    /// <summary>The type of the last record that was received.</summary>
    public byte LastRecordType { get; private set; }

    /// <summary>Whether the server went on with an earlier session, by what it sent in the clear.</summary>
    public bool IsResumed
    {
        get
        {
            const byte ServerHello = 2;
            const byte Certificate = 11;
            bool? isResumed = null;
            byte[] bytes = [.. _handshake];
            for (int start = 0; start < bytes.Length;)
            {
                byte type = bytes[start];
                int length = (bytes[start + 1] << 16) | (bytes[start + 2] << 8) | bytes[start + 3];
                var message = bytes.AsSpan(start + 4, length);
                if (type == ServerHello)
                    isResumed = HasChosenKey(message) ?? true;
                else if (type == Certificate)
                    isResumed = false;
                start += 4 + length;
            }

            return isResumed ?? throw new InvalidOperationException("There was no hello.");
        }
    }

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
                if (!_isEncrypted)
                    _handshake.Add(one);
                continue;
            }

            _header[_headerLength++] = one;
            if (_headerLength < HeaderBytes)
                continue;
            LastRecordType = _header[0];
            _bodyLeft = (_header[3] << 8) | _header[4];
            _headerLength = 0;
            _isEncrypted |= LastRecordType != Handshake;
        }
    }

    // What TLS 1.3 says of it: whether the server chose a key that both have from before. Null in 1.2, which leaves out
    // the certificate instead.
    private static bool? HasChosenKey(ReadOnlySpan<byte> hello)
    {
        const int SupportedVersions = 43;
        const int PreSharedKey = 41;
        const int RandomEnd = 2 + 32;
        bool is13 = false;
        bool hasKey = false;
        var rest = hello[(RandomEnd + 1 + hello[RandomEnd] + 3)..];
        for (rest = rest.IsEmpty ? rest : rest[2..]; !rest.IsEmpty;)
        {
            int type = (rest[0] << 8) | rest[1];
            is13 |= type == SupportedVersions;
            hasKey |= type == PreSharedKey;
            rest = rest[(4 + ((rest[2] << 8) | rest[3]))..];
        }

        return is13 ? hasKey : null;
    }
}
