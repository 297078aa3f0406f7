using System.Buffers;
using System.Text.Unicode;
using Cache.Core;

namespace Cache.AspNetCore;

/// <summary>
/// The store's key of a response: a prefix, to separate it from other keys, and the framework's key in UTF-8; on the
/// caller's stack if short, else in a pooled array until disposed.
/// </summary>
/// <remarks>
/// The framework's key contains text from the client, so a bad one is never an error: if it is too long or has no UTF-8
/// form, the response is not cached. (Replacing invalid characters would give two requests the same response.)
/// </remarks>
internal readonly ref struct StoreKey
{
    /// <summary>The bytes of stack that a caller provides.</summary>
    public const int StackBytes = 512;

    // A UTF-16 unit is at most this many bytes of UTF-8.
    private const int BytesPerCharMax = 3;

    private readonly byte[]? _pooled;

    public StoreKey(string key, Span<byte> scratch)
    {
        if (key.Length > CacheStore.KeyLengthMax)
            return;
        int lengthMax = Prefix.Length + key.Length * BytesPerCharMax;
        if (lengthMax > scratch.Length)
            scratch = _pooled = ArrayPool<byte>.Shared.Rent(lengthMax);
        Prefix.CopyTo(scratch);
        var status = Utf8.FromUtf16(
            key, scratch[Prefix.Length..], out _, out int length, replaceInvalidSequences: false);
        length += Prefix.Length;
        if (status == OperationStatus.Done && length <= CacheStore.KeyLengthMax)
            Bytes = scratch[..length];
    }

    public static ReadOnlySpan<byte> Prefix => "output:"u8;

    /// <summary>The key; empty if there is none.</summary>
    public ReadOnlySpan<byte> Bytes { get; }

    public bool IsNone => Bytes.IsEmpty;

    public void Dispose()
    {
        if (_pooled is not null)
            ArrayPool<byte>.Shared.Return(_pooled);
    }
}
