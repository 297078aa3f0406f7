using System.Text;
using Cache.Core.Collections;
using Cache.Core.Validation;
using Cache.Testing;

namespace Cache.Core.Tests.Collections;

/// <summary>A stream beside a sorted list, with random changes.</summary>
internal sealed class StreamModel(CacheStore store, Random random)
{
    private readonly SortedList<StreamId, string[]> _entries = [];
    private StreamId _last;
    private long _added;

    private StreamKey Stream => store.Stream("stream"u8);

    public void Change()
    {
        switch (random.Next(10))
        {
            case < 6:
                Append();
                break;
            case 6:
                Trim();
                break;
            case 7 or 8:
                Remove();
                break;
            default:
                CompareRange();
                break;
        }
    }

    public void Compare()
    {
        Assert.Equal(_entries.Count, Stream.Count);
        CompareRange(StreamId.Zero, StreamId.Max, int.MaxValue, isReversed: false);
        CompareRange(StreamId.Zero, StreamId.Max, int.MaxValue, isReversed: true);
        if (_added == 0)
            return;
        Assert.Equal(ReadStatus.Found, Stream.GetInfo(out var info));
        Assert.Equal((_entries.Count, _added, _last), (info.Length, info.Added, info.LastId));
        Assert.Equal(_entries.Count == 0 ? default : _entries.Keys[0], info.FirstId);
        Assert.Equal(_entries.Count == 0 ? default : _entries.Keys[^1], info.LastEntryId);
        var stored = default(ArraySink);
        Assert.True(store.TryPeekStored("stream"u8, ref stored, out _));
        Assert.True(StoredCollection.IsWhole(EntryKind.Stream, stored.Array));
    }

    private void Append()
    {
        string[] fields = random.Next(3) == 0
            ? [.. Enumerable.Range(0, 2 * random.Next(1, 4)).Select(_ => Text())]
            : ["field", Text(), "other", $"{random.Next(1000)}"];
        var id = random.Next(20) == 0
            ? new StreamId(_last.Milliseconds + (ulong)random.Next(3), (ulong)random.Next(3))
            : new StreamId(_last.Milliseconds + (ulong)random.Next(2), 0);
        bool makesSequence = random.Next(2) == 0;
        StreamTrim? trim = random.Next(20) == 0 ? new StreamTrim { MaxLength = random.Next(200) } : null;
        var source = new Fields(fields);
        var status = Stream.Append(
            ref source, new StreamAppend { Id = id, MakesSequence = makesSequence, Trim = trim }, out var appended);
        if (makesSequence)
            id = new StreamId(id.Milliseconds, id.Milliseconds == _last.Milliseconds ? _last.Sequence + 1 : 0);
        if (id <= _last)
        {
            Assert.Equal((WriteStatus.ConditionNotMet, StreamAppendStatus.IdTooSmall), (status, appended.Status));
            return;
        }

        Assert.Equal((WriteStatus.Done, id), (status, appended.Id));
        _entries.Add(id, fields);
        (_last, _added) = (id, _added + 1);
        int before = _entries.Count;
        while (_entries.Count > trim?.MaxLength)
            _entries.RemoveAt(0);
        Assert.Equal(before - _entries.Count, appended.Trimmed);
    }

    private string Text() => random.Next(60) switch
    {
        0 => new string('l', random.Next(1_000, 4_000)),
        1 => new string('m', random.Next(700, 1_300)),
        < 5 => "",
        _ => new string('s', random.Next(20)),
    };

    private void Trim()
    {
        var trim = random.Next(2) == 0
            ? new StreamTrim { MaxLength = Math.Max(0, _entries.Count - random.Next(40)) }
            : new StreamTrim { MinId = Some(), Limit = random.Next(2) * random.Next(30) };
        long expected = trim.MaxLength is { } length
            ? _entries.Count - length
            : _entries.Keys.Count(id => id < trim.MinId);
        if (trim.Limit > 0)
            expected = Math.Min(expected, trim.Limit);
        var status = Stream.Trim(trim, out long removed);
        Assert.Equal((_added == 0 ? WriteStatus.NotFound : WriteStatus.Done, expected), (status, removed));
        for (; removed > 0; removed--)
            _entries.RemoveAt(0);
    }

    private void Remove()
    {
        var ids = Enumerable.Range(0, random.Next(1, random.Next(12) == 0 ? 300 : 6)).Select(_ => Some()).ToArray();
        int expected = ids.Distinct().Count(id => _entries.Remove(id));
        Stream.Remove(ids, out long removed);
        Assert.Equal(expected, removed);
    }

    private StreamId Some() => _entries.Count == 0 || random.Next(8) == 0
        ? new StreamId((ulong)random.NextInt64((long)_last.Milliseconds + 2), (ulong)random.Next(3))
        : _entries.Keys[random.Next(_entries.Count)];

    private void CompareRange()
    {
        var (from, to) = (Some(), Some());
        CompareRange(from, to, random.Next(1, 400), random.Next(2) == 0);
    }

    private void CompareRange(StreamId from, StreamId to, int count, bool isReversed)
    {
        var sink = new EntryTexts([]);
        var status = Stream.GetRange(from, to, count, isReversed, ref sink);
        Assert.Equal(_added == 0 ? ReadStatus.NotFound : ReadStatus.Found, status);
        var expected = _entries.Where(entry => entry.Key >= from && entry.Key <= to);
        if (isReversed)
            expected = expected.Reverse();
        Assert.Equal(
            expected.Take(count).Select(entry => $"{entry.Key}: {string.Join('|', entry.Value)}"), sink.Entries);
    }

    internal readonly struct Fields(string[] words) : IEntrySource
    {
        public int Count => words.Length / 2;

        public ReadOnlySpan<byte> GetKey(int index) => Encoding.UTF8.GetBytes(words[2 * index]);

        public ReadOnlySpan<byte> GetValue(int index) => Encoding.UTF8.GetBytes(words[2 * index + 1]);
    }

    internal struct EntryTexts(List<string> entries) : IStreamSink
    {
        private long _announced;

        public readonly List<string> Entries => entries;

        public readonly bool IsFull => false;

        public void Begin(long count) => _announced = count;

        public readonly void Take(StreamId id, scoped StreamFields fields)
        {
            List<string> words = [];
            while (fields.MoveNext())
            {
                words.Add(Encoding.UTF8.GetString(fields.Field));
                words.Add(Encoding.UTF8.GetString(fields.Value));
            }

            entries.Add($"{id}: {string.Join('|', words)}");
            Assert.True(entries.Count <= _announced);
        }
    }
}
