using System.Buffers;
using System.Diagnostics;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Bits;

/// <summary>The progress of BITOP: its sources, the result so far, and the number of bytes done.</summary>
internal sealed class BitOpProgress(BitLogic logic, CacheStore store) : CommandProgress
{
    // The bytes of all sources that are combined between two looks at the clock, and the least bytes of each.
    private const int StepBytes = 1 << 20;
    private const int ChunkBytesMin = 1 << 10;

    private readonly BitOpSources _sources = new();
    private LargeValue? _large;
    private byte[] _short = [];
    private int _done;

    /// <summary>The keyspace of the result, even if the client's database is another keyspace by then.</summary>
    public CacheStore Store => store;

    /// <summary>Whether copying the sources would exceed the bound: then there is nothing to do.</summary>
    public bool IsTooLong => _sources.IsTooLong;

    /// <summary>Whether a source is not a string: then there is nothing to do.</summary>
    public bool HasOtherKind => _sources.HasOtherKind;

    public int Length => _sources.Length;

    /// <summary>Whether all bytes are combined.</summary>
    public bool IsDone => _done == Length;

    public override long MemoryBytes => _sources.MemoryBytes + _short.Length + (_large is null ? 0 : _done);

    private Span<byte> Result => _large is null ? _short.AsSpan(0, Length) : _large.Span;

    /// <summary>Takes the sources atomically; once, and before any step.</summary>
    public void Begin(in RespRequest request)
    {
        Debug.Assert(_large is null && _short.Length == 0, "It began before.");
        _sources.Read(request, store);
        if (IsTooLong || HasOtherKind)
            return;
        if (!store.TryCreateValue(Length, out _large))
            _short = ArrayPool<byte>.Shared.Rent(Length);
    }

    /// <summary>Combines the next part of all sources.</summary>
    /// <returns>False if all parts are done.</returns>
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

    /// <summary>Stores the result.</summary>
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

    // Zeros follow the end of a source.
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
