using System.IO.Pipelines;
using Cache.Core;

namespace Cache.AspNetCore;

/// <summary>Copies the response of a valid entry into a pipe, once.</summary>
internal struct ResponsePipeSink(TagTable evictions, PipeWriter destination) : IValueSink
{
    private readonly TagTable _evictions = evictions;
    private readonly PipeWriter _destination = destination;
    private Memory<byte> _memory;

    /// <summary>Whether the entry is valid; if not, nothing was written.</summary>
    public bool IsTaken { get; private set; }

    public Span<byte> GetSpan(int length)
    {
        _memory = _destination.GetMemory(length);
        return _memory.Span;
    }

    public void Advance(int length)
    {
        IsTaken = Entry.TryRead(_memory.Span[..length], out int responseLength, out long number, out var tags)
            && _evictions.IsCurrent(number, tags);
        if (IsTaken)
            _destination.Advance(responseLength);
    }
}
