using System.Diagnostics;
using Cache.Protocol;

namespace Cache.Client;

/// <summary>Makes replies of tokens. What the server declares sizes nothing; what it sends is bounded.</summary>
/// <remarks>Concurrency: one thread at a time. An attribute before a reply is read and dropped.</remarks>
internal sealed class ReplyBuilder(long bytesMax)
{
    // COMMAND DOCS, the deepest reply known, has eight.
    private const int DepthMax = 16;

    // Above CLUSTER SLOTS with each slot a range of its own, and above a page of keys.
    private const int ItemCountMax = 1 << 20;

    // What an item takes besides its bytes.
    private const int ItemBytes = 48;

    private readonly Stack<(RespType Type, long Count, List<RespReply> Items)> _open = new();
    private int _itemCount;
    private long _bytes;

    /// <summary>Whether a reply is begun.</summary>
    public bool IsOpen => _open.Count > 0;

    /// <summary>Takes the next token.</summary>
    /// <returns>True if it completes a reply.</returns>
    /// <exception cref="InvalidDataException">The reply is beyond the bounds.</exception>
    public bool TryComplete(in RespToken token, out RespReply reply)
    {
        reply = default;
        _itemCount++;
        _bytes += ItemBytes + token.Text.Length;
        if (_itemCount > ItemCountMax || _bytes > bytesMax)
            throw new InvalidDataException($"a reply has more than {ItemCountMax} parts or {bytesMax} bytes");
        if (token.IsAggregate && (token.Number > 0 || token.Type == RespType.Attribute))
        {
            if (_open.Count == DepthMax)
                throw new InvalidDataException($"a reply is nested more than {DepthMax} deep");
            _open.Push((token.Type, token.Number, []));
            return token.Number == 0 && Drop();
        }

        return Close(ReplyOf(token), ref reply);
    }

    private static RespReply ReplyOf(in RespToken token) => token.IsAggregate
        ? new RespReply(token.Type, Array.Empty<RespReply>())
        : token.Type is RespType.Integer or RespType.Boolean or RespType.Null
            ? new RespReply(token.Type, token.Number)
            : new RespReply(token.Type, token.Text.ToArray());

    // An attribute without parts.
    private bool Drop()
    {
        _open.Pop();
        return false;
    }

    private bool Close(RespReply part, ref RespReply reply)
    {
        while (_open.TryPeek(out var top))
        {
            top.Items.Add(part);
            Debug.Assert(top.Items.Count <= top.Count);
            if (top.Items.Count < top.Count)
                return false;
            _open.Pop();
            if (top.Type == RespType.Attribute)
                return false;
            part = new RespReply(top.Type, [.. top.Items]);
        }

        _itemCount = 0;
        _bytes = 0;
        reply = part;
        return true;
    }
}
