using System.Diagnostics;
using Cache.Protocol;

namespace Cache.Client;

/// <summary>The loop that reads.</summary>
internal sealed partial class RespConnection
{
    private async Task ReadAsync()
    {
        // The caller goes on; replies are taken on another thread from the first one on.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        RespClientException failure;
        try
        {
            while (true)
            {
                MakeRoom();
                int count = await _stream.ReadAsync(_input.AsMemory(_inputEnd)).ConfigureAwait(false);
                if (count == 0)
                    throw new EndOfStreamException("the server closed the connection");
                _inputEnd += count;
                TakeInput();
            }
        }
        catch (Exception lost)
        {
            // Of the link, of what the server sent, or of who takes it: in any case nothing is left that waits.
            failure = new RespClientException($"{Address}: {lost.Message}", lost);
        }

        Close(failure);
    }

    private void MakeRoom()
    {
        int left = _inputEnd - _inputStart;
        if (_inputStart > 0)
        {
            _input.AsSpan(_inputStart, left).CopyTo(_input);
            _inputStart = 0;
            _inputEnd = left;
        }

        if (left == 0 && _input.Length > KeptBytesMax)
            _input = new byte[InputBytes];

        // By what has arrived, not by what was announced: a length alone takes no memory.
        if (_inputEnd == _input.Length)
            Array.Resize(ref _input, (int)Math.Min(Math.Max(_input.Length * 2L, InputBytes), Array.MaxLength));
        Debug.Assert(_inputEnd < _input.Length);
    }

    private void TakeInput()
    {
        while (_inputEnd - _inputStart >= _bytesNeeded)
        {
            var input = _input.AsSpan(_inputStart, _inputEnd - _inputStart);
            var status = RespTokenReader.TryRead(input, _options.ReplyBytesMax, out var token, out int length);
            if (status == RespTokenStatus.Malformed)
                throw new InvalidDataException("what the server sent is no reply of RESP, or one that is too long");
            if (status == RespTokenStatus.Incomplete)
            {
                _bytesNeeded = length;
                return;
            }

            Take(token);
            _inputStart += length;
            _bytesNeeded = 1;
        }
    }

    private void Take(in RespToken token)
    {
        if (_pushes.IsOpen || token.Type == RespType.Push && !_builder.IsOpen)
        {
            _pushes.Take(token);
            return;
        }

        if (_builder.TryComplete(token, out var reply))
            Take(reply);
    }

    private void Take(in RespReply reply)
    {
        PendingReply? pending;
        lock (_gate)
        {
            if (!_pending.TryPeek(out pending))
            {
                if (_failure is not null)
                    return;
                throw new InvalidDataException("the server sent a reply to nothing");
            }

            Debug.Assert(pending.RepliesLeft > 0);
            if (--pending.RepliesLeft == 0)
                _pending.Dequeue();
        }

        pending.Take(reply);
    }
}
