using System.Buffers;
using System.Diagnostics;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Bits;

/// <summary>How far BITOP has come: its sources, the result so far, and how many bytes of it are done.</summary>
internal sealed class BitOpProgress(BitLogic logic, CacheStore store) : CommandProgress
{
    // What is combined of all sources together between two looks at the clock, and the least of each.
    private const int StepBytes = 1 << 20;
    private const int ChunkBytesMin = 1 << 10;

    private readonly BitOpSources _sources = new();
    private LargeValue? _large;
    private byte[] _short = [];
    private int _done;

    /// <summary>Where the result goes, though the client's database may be another keyspace meanwhile.</summary>
    public CacheStore Store => store;

    /// <summary>Whether more of the sources would have to be copied than may be: then there is nothing to do.</summary>
    public bool IsTooLong => _sources.IsTooLong;

    /// <summary>Whether a source is no string: the same.</summary>
    public bool HasOtherKind => _sources.HasOtherKind;

    public int Length => _sources.Length;

    /// <summary>Whether all bytes are combined.</summary>
    public bool IsDone => _done == Length;

    public override long MemoryBytes => _sources.MemoryBytes + _short.Length + (_large is null ? 0 : _done);

    private Span<byte> Result => _large is null ? _short.AsSpan(0, Length) : _large.Span;

    /// <summary>Takes the sources, as they stand at one moment; once, and before any step.</summary>
    public void Begin(in RespRequest request)
    {
        Debug.Assert(_large is null && _short.Length == 0, "It began before.");
        _sources.Read(request, store);
        if (IsTooLong || HasOtherKind)
            return;
        if (!store.TryCreateValue(Length, out _large))
            _short = ArrayPool<byte>.Shared.Rent(Length);
    }

    /// <summary>Combines one more part of all sources.</summary>
    /// <returns>False if all is done.</returns>
    public bool Step()
    {
        if (IsDone)
            return false;
        int sources = 0;
        int length = Math.Min(Math.Max(ChunkBytesMin, StepBytes / _sources.Count), Length - _done);
        var target = Result.Slice(_done, length);
        foreach (var source in _sources)
        {
            var part = _done < source.Length ? source[_done..Math.Min(source.Length, _done + length)] : default;
            Combine(target, part, isFirst: sources++ == 0);
        }

        _done += length;
        return true;
    }

    /// <summary>Gives the result to a key.</summary>
    public WriteStatus Write(ReadOnlySpan<byte> key) => _large is null
        ? Store.Set(key, Result)
        : Store.Set(key, _large, default);

    public override void Dispose()
    {
        _sources.Dispose();
        _large?.Dispose();
        if (_short.Length > 0)
            ArrayPool<byte>.Shared.Return(_short);
        _short = [];
    }

    // Behind its end a source is zeros.
    private void Combine(Span<byte> target, ReadOnlySpan<byte> part, bool isFirst)
    {
        if (isFirst && logic != BitLogic.Not)
        {
            part.CopyTo(target);
            target[part.Length..].Clear();
            return;
        }

        BitLogics.Combine(logic, target[..part.Length], part);
        if (logic == BitLogic.And)
            target[part.Length..].Clear();
    }
}
