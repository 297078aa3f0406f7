using System.Collections.Concurrent;

namespace Cache.Bench.Subjects;

/// <summary>A concurrent dictionary of arrays: no limit, no expiry, no copy on a read.</summary>
internal sealed class DictionarySubject(int keys)
    : ArraySubject<DictionarySubject.DictionaryMap>("dictionary", new(keys))
{
    public override long Count => Map.Dictionary.Count;

    public override void Load(string key, ReadOnlySpan<byte> value, TimeSpan timeToLive) =>
        Map.Set(key, value.ToArray());

    internal readonly struct DictionaryMap(int keys) : IArrayMap
    {
        public ConcurrentDictionary<string, byte[]> Dictionary { get; } =
            new(Environment.ProcessorCount, keys, StringComparer.Ordinal);

        public bool TryGet(string key, out byte[]? value) => Dictionary.TryGetValue(key, out value);

        public void Set(string key, byte[] value) => Dictionary[key] = value;
    }
}
