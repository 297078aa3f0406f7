using Cache.Protocol;

namespace Cache.Client;

/// <summary>Reads pushes; the keys of invalidations are handed on as they arrive, without a reply being made.</summary>
/// <remarks>Concurrency: one thread at a time. Between pushes the state is None.</remarks>
internal sealed class PushReader(IPushSink? sink, long bytesMax)
{
    private enum State
    {
        None,
        Name,
        Keys,
        Key,
        Other,
    }

    private readonly ReplyBuilder _other = new(bytesMax);
    private State _state;
    private long _keysLeft;

    /// <summary>Whether a push is begun, so that the next token is its.</summary>
    public bool IsOpen => _state != State.None;

    /// <summary>Takes the next token of a push, or the one that begins it.</summary>
    /// <exception cref="InvalidDataException">It is none that a server sends.</exception>
    public void Take(in RespToken token) => _state = _state switch
    {
        State.None => Begin(token),
        State.Name => TakeName(token),
        State.Keys => TakeKeys(token),
        State.Key => TakeKey(token),
        _ => TakeOther(token),
    };

    private State Begin(in RespToken token)
    {
        if (token.Number < 1)
            throw new InvalidDataException("a push is empty");
        return token.Number == 2 ? State.Name : TakeOther(token);
    }

    private State TakeName(in RespToken token)
    {
        if (token.Type == RespType.Bulk && token.Text.SequenceEqual("invalidate"u8))
            return State.Keys;
        TakeOther(new RespToken(RespType.Push, 2));
        return TakeOther(token);
    }

    private State TakeKeys(in RespToken token)
    {
        if (token.Type == RespType.Null)
        {
            sink?.InvalidateAll();
            return State.None;
        }

        if (token.Type != RespType.Array)
            throw new InvalidDataException("the keys of an invalidation are no array");
        _keysLeft = token.Number;
        return _keysLeft == 0 ? State.None : State.Key;
    }

    private State TakeKey(in RespToken token)
    {
        if (token.Type != RespType.Bulk)
            throw new InvalidDataException("a key of an invalidation is no string");
        sink?.Invalidate(token.Text);
        return --_keysLeft == 0 ? State.None : State.Key;
    }

    private State TakeOther(in RespToken token)
    {
        if (!_other.TryComplete(token, out var push))
            return State.Other;
        sink?.Push(push);
        return State.None;
    }
}
