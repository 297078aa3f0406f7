using System.Buffers;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Core.Tests.Hybrid;

/// <summary>The points that a flight passes; at one of them something happens, on the flight's own thread.</summary>
/// <param name="target">Which, counted from 1.</param>
internal sealed class FlightPoints(int target)
{
    private readonly TaskCompletionSource _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _passed;

    /// <summary>What happens there; null: nothing is counted.</summary>
    public Action? Act { get; set; }

    /// <summary>The point's name; null: the flight had not so many.</summary>
    public string? Name { get; private set; }

    public void Pass(string name)
    {
        if (Act is not { } act || Interlocked.Increment(ref _passed) != target)
            return;
        Name = name;
        act();
        _reached.SetResult();
    }

    /// <summary>A clock that is a point each time that somebody looks at it, also under the store's locks.</summary>
    internal sealed class Clock(FlightPoints points, FakeTimeProvider time) : TimeProvider
    {
        public override long TimestampFrequency => time.TimestampFrequency;

        public override long GetTimestamp()
        {
            points.Pass("clock");
            return time.GetTimestamp();
        }

        public override DateTimeOffset GetUtcNow() => time.GetUtcNow();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            time.CreateTimer(callback, state, dueTime, period);
    }

    /// <summary>A second level whose operations have a point at their beginning and at their end.</summary>
    internal sealed class Far(FlightPoints points) : IDistributedCache
    {
        private readonly ConcurrentDictionary<string, byte[]> _entries = [];

        public byte[]? Get(string key) => _entries.GetValueOrDefault(key);

        public async Task<byte[]?> GetAsync(string key, CancellationToken token = default)
        {
            points.Pass("far get begins");
            await Task.Yield();
            var value = Get(key);
            points.Pass("far get ends");
            return value;
        }

        public void Set(string key, byte[] value, DistributedCacheEntryOptions options) => _entries[key] = value;

        public async Task SetAsync(
            string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
        {
            points.Pass("far set begins");
            await Task.Yield();
            Set(key, value, options);
            points.Pass("far set ends");
        }

        public void Refresh(string key)
        {
        }

        public Task RefreshAsync(string key, CancellationToken token = default) => Task.CompletedTask;

        public void Remove(string key) => _entries.TryRemove(key, out _);

        public async Task RemoveAsync(string key, CancellationToken token = default)
        {
            points.Pass("far remove begins");
            await Task.Yield();
            Remove(key);
            points.Pass("far remove ends");
        }
    }

    /// <summary>A serializer of <see cref="Made"/> with a point before and behind the bytes.</summary>
    internal sealed class Serializers(FlightPoints points) : IHybridCacheSerializerFactory, IHybridCacheSerializer<Made>
    {
        public bool TryCreateSerializer<T>([NotNullWhen(true)] out IHybridCacheSerializer<T>? serializer)
        {
            serializer = this as IHybridCacheSerializer<T>;
            return serializer is not null;
        }

        public Made Deserialize(ReadOnlySequence<byte> source)
        {
            points.Pass("deserialize");
            return new Made(Encoding.ASCII.GetString(source));
        }

        public void Serialize(Made value, IBufferWriter<byte> target)
        {
            points.Pass("serialize begins");
            target.Write(Encoding.ASCII.GetBytes(value.Text));
            points.Pass("serialize ends");
        }
    }
}

/// <summary>A value that nobody shares.</summary>
internal sealed class Made(string text)
{
    public string Text { get; set; } = text;
}
