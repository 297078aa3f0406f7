using Cache.Core;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Bits;

/// <summary>The values that BITOP combines, read atomically.</summary>
/// <remarks>
/// Long values are lent, so that any number of them costs no copy. They existed together if the keys' versions are the
/// same before and after all were taken; if other writes in the same buckets prevent that for long, the values are
/// copied atomically instead. Copies are bounded, since a key may be named a million times.
/// </remarks>
internal sealed class BitOpSources : IDisposable
{
    private const int AttemptsMax = 64;

    // Ten thousand values of 10 KB; one request must not hold a multiple of the store.
    private const long CopiedBytesMax = 128 << 20;

    // Keys from the third argument on.
    private const int FirstKey = 3;

    private readonly ByteStringList _copied = new() { BytesMax = CopiedBytesMax };
    private readonly List<LentValue?> _lent = [];

    /// <summary>The copied bytes.</summary>
    public long MemoryBytes => _copied.MemoryBytes;

    public int Count => _lent.Count;

    /// <summary>Whether copying would exceed the bound: then there are none.</summary>
    public bool IsTooLong => _copied.IsTooLong;

    /// <summary>Whether one of the keys is not a string: then there are none either.</summary>
    public bool HasOtherKind { get; private set; }

    /// <summary>The length of the longest one.</summary>
    public int Length { get; private set; }

    /// <summary>Takes the values. If it throws, the disposal gives back those already taken.</summary>
    public void Read(in RespRequest request, CacheStore store)
    {
        for (int attempts = 0; !TryRead(request, store); attempts++)
        {
            Dispose();
            if (attempts < AttemptsMax)
                continue;
            CopyAll(request, store);
            break;
        }

        if (!IsTooLong && !HasOtherKind)
            Measure();
    }

    /// <summary>Passes all of them on in order, an absent one as an empty one.</summary>
    public Enumerator GetEnumerator() => new(_copied, _lent);

    public void Dispose()
    {
        foreach (var lent in _lent)
            lent?.Dispose();
        _lent.Clear();
        _copied.Clear();
    }

    private bool TryRead(in RespRequest request, CacheStore store)
    {
        var versions = new EntryVersion[request.Count - FirstKey];
        for (int i = 0; i < versions.Length; i++)
        {
            store.TryPeekInfo(request[FirstKey + i], out var info);
            versions[i] = info.Version;
            HasOtherKind |= info.Kind > EntryKind.String;
        }

        if (HasOtherKind)
            return true; // A string now is enough.

        for (int i = 0; i < versions.Length && !IsTooLong; i++)
            Take(request[FirstKey + i], store);
        for (int i = 0; i < versions.Length && !IsTooLong; i++)
        {
            store.TryPeekInfo(request[FirstKey + i], out var info);
            if (info.Version != versions[i])
                return false;
        }

        return true;
    }

    private void Take(ReadOnlySpan<byte> key, CacheStore store)
    {
        var sink = new ByteStringSink(_copied);
        bool exists = store.TryGet(key, store.BeginPrefetch(key), ref sink, LentReply.LengthMin, out var lent);
        if (!exists || lent is not null)
            _copied.AddAbsent();
        _lent.Add(lent);
    }

    private void CopyAll(in RespRequest request, CacheStore store)
    {
        var keys = new KeysFrom(request);
        var sink = new ByteStringSink(_copied);
        store.GetMany(ref keys, ref sink);
        for (int i = FirstKey; i < request.Count; i++)
        {
            store.TryPeekInfo(request[i], out var info);
            HasOtherKind |= info.Kind > EntryKind.String; // Copied as absent.
            _lent.Add(null);
        }
    }

    private void Measure()
    {
        foreach (var bytes in this)
            Length = Math.Max(Length, bytes.Length);
    }

    /// <summary>The keys of a request from the first source on.</summary>
    private readonly ref struct KeysFrom(RespRequest request) : IKeySource
    {
        private readonly RespRequest _request = request;

        public int Count => _request.Count - FirstKey;

        public ReadOnlySpan<byte> GetKey(int index) => _request[FirstKey + index];
    }

    /// <summary>Enumerates the values.</summary>
    internal ref struct Enumerator(ByteStringList copied, List<LentValue?> lent)
    {
        private readonly List<LentValue?> _lent = lent;
        private ByteStringList.Enumerator _copied = copied.GetEnumerator();
        private int _index = -1;

        public readonly ReadOnlySpan<byte> Current =>
            _lent[_index] is { } value ? value.Span : _copied.Current.Bytes;

        public bool MoveNext() => ++_index < _lent.Count && _copied.MoveNext();
    }
}
