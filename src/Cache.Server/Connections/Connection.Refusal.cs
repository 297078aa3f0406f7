using Cache.Server.Clients;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Connections;

/// <remarks>
/// Refusal: a request that could never be held, since alone it is more than all clients may hold, is read to its end
/// without being kept, and answered with an error there. So the client learns why, and goes on with the connection;
/// whoever only has bad luck, since others hold much too, is disconnected as before. States:
/// reading → (a length, or the sum of what arrived, is too much) passing over → (the request's end) reading.
/// </remarks>
internal sealed partial class Connection<TExecutor>
{
    // Of a smaller sum nothing is asked: no limit is so low.
    private const int RefusedBytesMin = 512 * 1024;

    // The present request, if it is passed over.
    private RefusedRequest? _refused;

    /// <summary>Refuses a request whose awaited argument is too long beside what there is of it already.</summary>
    /// <returns>Whether it was.</returns>
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

    // What is left is a part of a header at the most.
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

    /// <summary>Goes on with a request that is passed over.</summary>
    /// <returns>How many bytes of the span belong to it.</returns>
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
