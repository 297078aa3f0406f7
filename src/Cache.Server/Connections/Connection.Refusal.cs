using Cache.Server.Clients;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Connections;

/// <remarks>
/// Refusal: a request that alone is longer than the limit of all clients together is read to its end without being
/// kept, and then answered with an error. So the client learns why, and can continue with the connection. If a request
/// is too long only because others hold much too, its client is disconnected. States:
/// reading → (a length, or the sum of the received bytes, is too much) passing over → (the request's end) reading.
/// </remarks>
internal sealed partial class Connection<TExecutor>
{
    // Smaller requests are not checked: no limit is this low.
    private const int RefusedBytesMin = 512 * 1024;

    // The present request, if it is being passed over.
    private RefusedRequest? _refused;

    /// <summary>Refuses a request whose awaited argument is too long, together with its bytes so far.</summary>
    /// <returns>Whether it was refused.</returns>
    private bool RefuseLongArgument(int start, int length)
    {
        long bytesMax = _server.ClientMemory.RequestBytesMaxOf(_client);
        if (start + LongBytes + (long)Reader.MemoryBytes + length <= bytesMax)
            return false;
        Refuse(length > bytesMax ? length : 0, bytesMax);
        return true;
    }

    /// <summary>Refuses a request that these further bytes make too long.</summary>
    private void RefuseLongRequest(int moreBytes)
    {
        if (InputMemoryBytes + moreBytes < RefusedBytesMin)
            return;
        long bytesMax = _server.ClientMemory.RequestBytesMaxOf(_client);
        if (InputMemoryBytes + moreBytes > bytesMax)
            Refuse(0, bytesMax);
    }

    private void Refuse(long argumentLength, long bytesMax)
    {
        _refused = new RefusedRequest(argumentLength, bytesMax);
        _long?.Clear();
        _long = null;
        PassOver(_refused);
    }

    // The rest is at most a part of a header.
    private void PassOver(RefusedRequest refused)
    {
        int length = StraddlingBytes;
        long done = Reader.PassOver(length);
        refused.BytesToPass = Math.Max(0, done - length);
        byte[] rest = done < length ? Straddling.Span[(int)done..].ToArray() : [];
        Straddling.Clear();
        if (rest.Length > 0)
            Straddling.Append(rest, rest.Length);
    }

    /// <summary>Continues with a request that is being passed over.</summary>
    /// <returns>The number of bytes of the span that belong to it.</returns>
    private int TakeRefused(RefusedRequest refused, ReadOnlySpan<byte> span)
    {
        int taken = 0;
        while (true)
        {
            int passed = (int)Math.Min(refused.BytesToPass, span.Length - taken);
            refused.BytesToPass -= passed;
            taken += passed;
            if (refused.BytesToPass > 0)
                return taken;
            int count = Math.Min(Math.Max(Reader.BytesNeeded - StraddlingBytes, TopUpBytesMin), span.Length - taken);
            Straddling.Append(span.Slice(taken, count), 0);
            taken += count;
            var status = Reader.TryRead(Straddling.Span);
            if (status != RespReadStatus.Incomplete)
            {
                int surplus = StraddlingBytes - Reader.Consumed;
                End(status, Straddling.Span);
                _refused = null;
                DropStraddling();
                return taken - surplus;
            }

            PassOver(refused);
            if (taken == span.Length && refused.BytesToPass == 0)
                return taken;
        }
    }

    private void ReplyTo(RefusedRequest refused)
    {
        Context.Reply.Error(ErrorTexts.RequestTooLong(refused.ArgumentLength, refused.BytesMax));
        _server.Statistics.CountError(Context.Reply.ErrorCode);
        Context.EndSkipping();
    }
}
