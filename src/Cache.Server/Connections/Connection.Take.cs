using System.Buffers;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Transport;

namespace Cache.Server.Connections;

internal sealed partial class Connection<TExecutor>
{
    // The least bytes added to a straddling request at a time: fewer attempts at its headers, little more copying.
    private const int TopUpBytesMin = 256;

    // A request of this length, or a step of common ones, makes the next receive a long one. Such a step has few
    // requests for its bytes, so a long receive of the same ones is a short turn.
    private const int LongStepBytesMin = 16 * 1024;

    // Before AUTH no client needs to send more, and any stranger may try.
    private const int UnauthenticatedBytesMax = 1 << 20;

    // The first byte of a TLS handshake record, and the major version of SSL 3 and all versions of TLS.
    private const byte TlsHandshake = 0x16;
    private const byte TlsMajorVersion = 3;

    private bool _mayBeTls = true;

    // The argument of the straddling request that is received into the store's memory; null: none.
    private LongArgument? _long;

    private long _unauthenticatedBytes;

    // Whether the client broke the protocol or a limit: its further bytes are not executed.
    private bool _isFailed;

    private RespRequestReader Reader => _reader ?? throw new InvalidOperationException("No read is under way.");

    private bool IsOutputDue => Reply.UnflushedBytes >= FlushBytes;

    private bool GoesOn =>
        !_isFailed && !_client.ShouldClose && !IsOutputDue && !_client.IsParked && !_isSuspended;

    /// <summary>Executes complete requests and copies the rest aside.</summary>
    /// <returns>
    /// False if bytes are left because the replies must be flushed first, or the connection must end.
    /// </returns>
    private bool Take(in ReadOnlySequence<byte> buffer, out SequencePosition consumed)
    {
        long takenBytes = 0;
        foreach (var memory in buffer)
        {
            int taken = Take(memory.Span);
            takenBytes += taken;
            if (taken == memory.Length)
                continue;

            Context.Counters.Traffic.InputBytes += takenBytes;
            consumed = buffer.GetPosition(takenBytes);
            return false;
        }

        Context.Counters.Traffic.InputBytes += takenBytes;
        consumed = buffer.End;
        return true;
    }

    private int Take(ReadOnlySpan<byte> span)
    {
        if (_isSuspended)
            return 0; // Left by the last request of the previous stretch.
        int taken = TakeBegun(span);
        while (taken < span.Length && GoesOn)
        {
            var rest = span[taken..];
            int common = TakeCommon(rest);
            if (common > 0)
            {
                if (common >= LongStepBytesMin)
                    ExpectLong(common);
                taken += common;
                continue;
            }

            var status = Reader.TryRead(rest);
            if (status == RespReadStatus.Incomplete)
            {
                PutAside(rest);
                BeginLongArgument();
                return span.Length;
            }

            End(status, rest);
            if (Reader.Consumed >= LongStepBytesMin)
                ExpectLong(Reader.Consumed);
            taken += Reader.Consumed;
        }

        return taken;
    }

    // Who sends a long request often sends another: it is received at once, if it is not too long for that.
    private void ExpectLong(long bytes)
    {
        if (bytes is >= LongStepBytesMin and <= FillingPipeReader.LongBytesMax
            && _transport.Input is FillingPipeReader input)
        {
            input.ExpectLong();
        }
    }

    private int TakeBegun(ReadOnlySpan<byte> span)
    {
        if (_refused is not null)
            return TakeRefused(_refused, span);
        return StraddlingBytes > 0 ? TakeStraddling(span) : 0;
    }

    /// <summary>Executes the common requests at the beginning of the bytes.</summary>
    /// <returns>The number of their bytes.</returns>
    private int TakeCommon(ReadOnlySpan<byte> bytes) =>
        Context.IsOrdinary && CommonRequestReader.IsAtCommon(bytes) ? TakeManyCommon(bytes) : 0;

    // Of its own, as other requests need not the room for many.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int TakeManyCommon(ReadOnlySpan<byte> bytes)
    {
        var requests = default(CommonRequests);
        int count = CommonRequestReader.Read(bytes, requests);
        if (count == 0)
            return 0;
        int executed = _executor.ExecuteCommon(bytes, ((Span<CommonRequest>)requests)[..count], FlushBytes, Context);
        if (IsOutputDue)
            EnforceOutputLimit();
        return executed == 0 ? 0 : requests[executed - 1].End;
    }

    /// <summary>Continues the request that began in an earlier stretch.</summary>
    /// <returns>The number of bytes of the span that belong to it.</returns>
    private int TakeStraddling(ReadOnlySpan<byte> span)
    {
        for (int taken = 0; taken < span.Length;)
        {
            if (_long is { MissingBytes: > 0 })
            {
                taken += _long.Append(span[taken..]);
                continue;
            }

            int missing = Math.Max(Reader.BytesNeeded - StraddlingBytes, TopUpBytesMin);
            int count = Math.Min(missing, span.Length - taken);
            int before = StraddlingBytes;
            RefuseLongRequest(count);
            if (_refused is not null)
                return taken + TakeRefused(_refused, span[taken..]);
            PutAside(span.Slice(taken, count));
            if (_isFailed)
                return span.Length;
            taken += count;
            if (StraddlingBytes < Reader.BytesNeeded)
            {
                BeginLongArgument();
                if (_refused is not null)
                    return taken + TakeRefused(_refused, span[taken..]);
                continue;
            }

            var status = Reader.TryRead(Straddling.Span);
            if (status == RespReadStatus.Incomplete)
            {
                BeginLongArgument();
                if (_refused is not null)
                    return taken + TakeRefused(_refused, span[taken..]);
                continue;
            }

            // The bytes copied beyond the request's end are still in the span.
            Debug.Assert(status == RespReadStatus.ProtocolError || Reader.Consumed > before);
            int surplus = StraddlingBytes - Reader.Consumed;
            ExpectLong(Reader.Consumed + (long)(_long?.Length ?? 0));
            End(status, Straddling.Span);
            if (!_isSuspended)
                DropStraddling();
            return taken - Math.Min(surplus, taken);
        }

        return span.Length;
    }

    private void End(RespReadStatus status, ReadOnlySpan<byte> bytes)
    {
        if (status == RespReadStatus.Complete)
        {
            Execute(bytes);
            if (_client.Outbox is not null && !_isSuspended)
                Context.WriteMessages();
            Reader.IsAuthenticated = Context.IsAuthenticated;
            if (IsOutputDue)
                EnforceOutputLimit();
        }
        else if (status == RespReadStatus.Skipped)
        {
            Context.EndSkipping();
        }
        else if (status == RespReadStatus.Refused)
        {
            ReplyTo(_refused!);
        }
        else if (status == RespReadStatus.ProtocolError)
        {
            // To the client's own writer: a client that turned replies off gets no errors either.
            Context.Reply.Error(Reader.Error);
            _isFailed = true;
        }
    }

    private void Execute(ReadOnlySpan<byte> bytes)
    {
        if (_long is null)
        {
            _executor.Execute(Reader.GetRequest(bytes), Context);
        }
        else
        {
            Context.LongArgument = _long;
            _executor.Execute(Reader.GetRequest(bytes, _long.Span), Context);
            Context.LongArgument = null;
        }

        if (Context.GaveWay)
            Suspend(bytes);
    }

    /// <summary>Receives the bytes of a long argument into the store's memory from now on.</summary>
    private void BeginLongArgument()
    {
        int length = Reader.AwaitedLength;
        int start = Reader.AwaitedStart;
        if (length < LongArgument.LengthMin || _isFailed
            || StraddlingBytes + (long)length > Settings.ClientQueryBufferLimit)
        {
            return;
        }

        if (RefuseLongArgument(start, length))
            return;
        if (StraddlingBytes - start < LongArgument.ArrivedBytesMin || _long is not null)
            return;

        _long = Context.TryBeginLongArgument(length);
        if (_long is null)
            return;
        Straddling.Cut(start, _long.Append(Straddling.Span[start..]));
        Reader.LeaveElsewhere();
    }

    private void DropStraddling()
    {
        _straddling?.Clear();
        _long?.Clear();
        _long = null;
    }

    private void PutAside(ReadOnlySpan<byte> bytes)
    {
        if (StraddlingBytes + (long)LongBytes + bytes.Length > Settings.ClientQueryBufferLimit)
        {
            Report(ConnectionLimit.QueryBuffer, Settings.ClientQueryBufferLimit);
            _isFailed = true;
            return;
        }

        Straddling.Append(bytes, Reader.BytesNeeded);
    }

    // No request begins with these bytes, and no TLS client would understand an error reply.
    private bool IsTls(in ReadOnlySequence<byte> buffer)
    {
        var start = buffer.FirstSpan;
        if (start.IsEmpty)
            return false;
        _mayBeTls = false;
        if (start[0] != TlsHandshake || (start.Length > 1 && start[1] != TlsMajorVersion))
            return false;
        Report(ConnectionLimit.Tls, 0);
        return true;
    }

    private void EnforceUnauthenticatedLimit(long readBytes)
    {
        _unauthenticatedBytes += readBytes;
        if (_unauthenticatedBytes <= UnauthenticatedBytesMax || _isFailed)
            return;
        Report(ConnectionLimit.UnauthenticatedBytes, UnauthenticatedBytesMax);
        _isFailed = true;
    }

    private void EnforceOutputLimit()
    {
        long limit = Settings.ClientOutputBufferLimit;
        if (!Reply.Exceeds(limit))
            return;
        Report(ConnectionLimit.OutputBuffer, limit);
        _isFailed = true;
        _transport.Abort();
    }

    private void Report(ConnectionLimit limit, long value) =>
        _server.ReportLimit(limit, _client.EndPoints.Remote, value);
}
