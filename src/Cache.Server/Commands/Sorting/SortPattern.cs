using Cache.Core;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Sorting;

/// <summary>A pattern of BY or GET: where the weight of an element, or what is replied for it, is found.</summary>
/// <remarks>
/// <c>#</c> is the element itself; in others the first <c>*</c> stands for the element, and <c>-&gt;field</c> behind it
/// names a field of the hash that the key has. Like Redis it reads the pattern as a C string.
/// </remarks>
internal readonly ref struct SortPattern
{
    private readonly ReadOnlySpan<byte> _prefix;
    private readonly ReadOnlySpan<byte> _suffix;
    private readonly ReadOnlySpan<byte> _field;

    public SortPattern(ReadOnlySpan<byte> pattern)
    {
        var text = pattern.IndexOf((byte)0) is var end and >= 0 ? pattern[..end] : pattern;
        IsElement = text is [(byte)'#'];
        int star = text.IndexOf((byte)'*');
        IsConstant = star < 0;
        if (IsConstant)
            return;
        _prefix = pattern[..star];
        _suffix = pattern[(star + 1)..];
        int arrow = text[(star + 1)..].IndexOf("->"u8);
        if (arrow < 0 || star + 1 + arrow + 2 == text.Length)
            return;
        _field = _suffix[(arrow + 2)..];
        _suffix = _suffix[..arrow];
    }

    /// <summary>Whether it is the element itself.</summary>
    public bool IsElement { get; }

    /// <summary>Whether no element occurs in it: for BY, nothing is sorted; for GET, there is no value.</summary>
    public bool IsConstant { get; }

    /// <summary>Adds what the pattern finds for an element, or an absence.</summary>
    public void Read(CacheStore store, scoped ReadOnlySpan<byte> element, SortTexts texts)
    {
        if (IsElement)
            texts.Add(element);
        else if (IsConstant || !TryRead(store, element, texts))
            texts.AddAbsent();
    }

    /// <summary>Replies what the pattern finds for an element, or an absence.</summary>
    public void Read(CacheStore store, scoped ReadOnlySpan<byte> element, ByteStringList reply)
    {
        if (IsElement)
            reply.Add(element);
        else if (IsConstant || !TryRead(store, element, reply))
            reply.AddAbsent();
    }

    private bool TryRead(CacheStore store, scoped ReadOnlySpan<byte> element, SortTexts texts)
    {
        int length = _prefix.Length + element.Length + _suffix.Length;
        if (length > CacheStore.KeyLengthMax)
            return false;
        Span<byte> key = length <= 256 ? stackalloc byte[length] : new byte[length];
        WriteKey(element, key);
        var sink = new SortTextSink(texts);
        if (!_field.IsEmpty)
            return store.Hash(key).TryGet(_field, ref sink);
        // Of a longer one only what has room is copied, and it is refused.
        if (!store.TryGetRange(key, 0, Math.Max(texts.Room, 1) - 1, ref sink, out var info))
            return false;
        if (info.Length > sink.Length || texts.Room < 0)
            texts.GiveUp();
        return true;
    }

    private void WriteKey(scoped ReadOnlySpan<byte> element, Span<byte> key)
    {
        _prefix.CopyTo(key);
        element.CopyTo(key[_prefix.Length..]);
        _suffix.CopyTo(key[(_prefix.Length + element.Length)..]);
    }

    private bool TryRead(CacheStore store, scoped ReadOnlySpan<byte> element, ByteStringList reply)
    {
        int length = _prefix.Length + element.Length + _suffix.Length;
        if (length > CacheStore.KeyLengthMax)
            return false;
        Span<byte> key = length <= 256 ? stackalloc byte[length] : new byte[length];
        WriteKey(element, key);
        var sink = new ByteStringSink(reply);
        return _field.IsEmpty ? store.TryGet(key, ref sink) : store.Hash(key).TryGet(_field, ref sink);
    }
}
