using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Bits;

/// <summary>A snapshot of a value: lent by the store if it is long, else copied.</summary>
internal readonly ref struct HeldString : IDisposable
{
    private readonly LentValue? _lent;
    private readonly ByteStringList _list;
    private readonly ReadStatus _status;

    private HeldString(LentValue? lent, ByteStringList list, ReadStatus status)
    {
        _lent = lent;
        _list = list;
        _status = status;
    }

    public bool Exists => _status == ReadStatus.Found;

    /// <summary>Whether the value is of another kind.</summary>
    public bool IsOtherKind => _status == ReadStatus.WrongType;

    /// <summary>Its bytes; empty if there is no string.</summary>
    public ReadOnlySpan<byte> Bytes => _lent is null ? _list.First : _lent.Span;

    public static HeldString Read(ReadOnlySpan<byte> key, CommandContext context)
    {
        var list = context.BorrowList();
        var sink = new ByteStringSink(list);
        var hash = context.Store.BeginPrefetch(key);
        var status = context.Store.Read(key, hash, ref sink, LentReply.LengthMin, out var lent);
        return new HeldString(lent, list, status);
    }

    public void Dispose()
    {
        _lent?.Dispose();
        _list.Dispose();
    }
}
