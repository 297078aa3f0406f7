using System.Buffers;
using System.Runtime.InteropServices;
using Cache.Core.Distributed;
using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;

namespace Cache.Core.Tests.Distributed;

/// <summary>
/// Payloads of all lengths in all kinds of memory, written and read by every pair of members, with every expiry: in the
/// manner of the framework's own cases for distributed caches with buffers.
/// </summary>
public sealed class DistributedPayloadTests : IDisposable
{
    private static readonly DistributedCacheEntryOptions _noExpiry = new();

    private readonly FakeTimeProvider _time = new();
    private readonly CacheStore _store;
    private readonly DistributedStore _cache;

    public DistributedPayloadTests()
    {
        _store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 }, _time);
        _cache = new DistributedStore(_store);
    }

    public enum Form
    {
        Array,
        ArraySlice,
        CustomMemory,
        TwoSegments,
        ManySegments,
        SegmentsOfCustomMemory,
        EmptySegmentsBetween,
    }

    public enum Expiry
    {
        None,
        Absolute,
        Relative,
        Sliding,
    }

    public static TheoryData<int> Lengths => [0, 1, 7, 8, 9, 63, 64, 65, 255, 256, 1_023, 2_048, 4_095, 8_192, 16_384];

    public static MatrixTheoryData<int, Form> LengthsAndForms => new(
        [0, 1, 2, 7, 8, 9, 63, 64, 65, 128, 255, 1_000, 2_048, 4_096, 16_383, 16_384], Enum.GetValues<Form>());

    public static MatrixTheoryData<Form, Expiry> FormsAndExpiries =>
        new(Enum.GetValues<Form>(), Enum.GetValues<Expiry>());

    [Theory]
    [MemberData(nameof(LengthsAndForms))]
    public async Task Sequence_ComesBackThroughEveryMember(int length, Form form)
    {
        var token = TestContext.Current.CancellationToken;
        byte[] payload = Payload(length);
        var sequence = Sequence(payload, form);
        _cache.Set("sync", sequence, _noExpiry);
        await _cache.SetAsync("async", sequence, _noExpiry, token);
        foreach (string key in (string[])["sync", "async"])
        {
            Assert.Equal(payload, _cache.Get(key));
            Assert.Equal(payload, await _cache.GetAsync(key, token));
            var writer = new ArrayBufferWriter<byte>();
            Assert.True(_cache.TryGet(key, writer));
            Assert.Equal(payload, writer.WrittenSpan);
            Assert.True(await _cache.TryGetAsync(key, writer, token));
            Assert.Equal(2 * length, writer.WrittenCount);
        }
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public async Task Array_ComesBackThroughEveryMember(int length)
    {
        var token = TestContext.Current.CancellationToken;
        byte[] payload = Payload(length);
        _cache.Set("sync", payload, _noExpiry);
        await _cache.SetAsync("async", payload, _noExpiry, token);
        foreach (string key in (string[])["sync", "async"])
        {
            Assert.Equal(payload, _cache.Get(key));
            var writer = new ArrayBufferWriter<byte>();
            Assert.True(await _cache.TryGetAsync(key, writer, token));
            Assert.Equal(payload, writer.WrittenSpan);
        }
    }

    [Theory]
    [MemberData(nameof(Lengths))]
    public void Writer_GetsTheValueAndNothingBeside(int length)
    {
        byte[] payload = Payload(length);
        _cache.Set("k", payload, _noExpiry);
        var memory = new PaddedMemory(new byte[length]);
        var writer = new FixedWriter(memory.Memory);
        Assert.True(_cache.TryGet("k", writer));
        Assert.Equal(length, writer.Written);
        Assert.Equal(payload, memory.GetSpan());
        memory.AssertGuarded();
    }

    [Theory]
    [MemberData(nameof(LengthsAndForms))]
    public void Sequence_IsCopied(int length, Form form)
    {
        byte[] payload = Payload(length);
        byte[] source = [.. payload];
        var sequence = Sequence(source, form);
        _cache.Set("k", sequence, _noExpiry);
        source.AsSpan().Clear();
        foreach (var segment in sequence)
            MemoryMarshal.AsMemory(segment).Span.Clear();
        Assert.Equal(payload, _cache.Get("k"));
    }

    [Theory]
    [MemberData(nameof(FormsAndExpiries))]
    public void Expiry_IsTheSameForEveryFormAndMember(Form form, Expiry expiry)
    {
        byte[] payload = Payload(1_000);
        _cache.Set("k", Sequence(payload, form), OptionsOf(expiry));
        _time.Advance(999);
        Assert.True(_store.TryPeekInfo("k"u8, out _));
        _time.Advance(1);
        Assert.Equal(expiry == Expiry.None, _cache.Get("k") is not null);
        var writer = new ArrayBufferWriter<byte>();
        Assert.Equal(expiry == Expiry.None, _cache.TryGet("k", writer));
        Assert.Equal(expiry == Expiry.None ? 1_000 : 0, writer.WrittenCount);
    }

    [Fact]
    public void ReplacedByEveryLength_IsTheLastOne() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        for (int i = 0; i < 2_000; i++)
        {
            byte[] payload = new byte[random.Next(16_385)];
            random.NextBytes(payload);
            var form = (Form)random.Next(Enum.GetValues<Form>().Length);
            _cache.Set("k", Sequence(payload, form), _noExpiry);
            Assert.Equal(payload, _cache.Get("k"));
        }
    });

    public void Dispose()
    {
        _store.AssertValid();
        _store.Dispose();
    }

    private static byte[] Payload(int length)
    {
        var payload = new byte[length];
        new Random(length).NextBytes(payload);
        return payload;
    }

    private static ReadOnlySequence<byte> Sequence(byte[] bytes, Form form) => form switch
    {
        Form.Array => new ReadOnlySequence<byte>(bytes),
        Form.ArraySlice => new ReadOnlySequence<byte>((byte[])[1, 2, .. bytes, 3], 2, bytes.Length),
        Form.CustomMemory => new ReadOnlySequence<byte>(new PaddedMemory(bytes).Memory),
        Form.TwoSegments => SegmentedBytes.Split(bytes, Math.Max(1, bytes.Length / 2)),
        Form.ManySegments => SegmentedBytes.Split(bytes, 13),
        Form.SegmentsOfCustomMemory => SegmentedBytes.Split(new PaddedMemory(bytes).Memory, 100),
        Form.EmptySegmentsBetween => SegmentedBytes.SplitWithGaps(bytes, 100),
        _ => throw new ArgumentOutOfRangeException(nameof(form), form, "There is no such form."),
    };

    private DistributedCacheEntryOptions OptionsOf(Expiry expiry) => expiry switch
    {
        Expiry.None => new(),
        Expiry.Absolute => new() { AbsoluteExpiration = _time.GetUtcNow().AddSeconds(1) },
        Expiry.Relative => new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromSeconds(1) },
        Expiry.Sliding => new() { SlidingExpiration = TimeSpan.FromSeconds(1) },
        _ => throw new ArgumentOutOfRangeException(nameof(expiry), expiry, "There is no such expiry."),
    };

    private sealed class FixedWriter(Memory<byte> memory) : IBufferWriter<byte>
    {
        public int Written { get; private set; }

        public void Advance(int count) => Written += count;

        public Memory<byte> GetMemory(int sizeHint = 0) => memory[Written..];

        public Span<byte> GetSpan(int sizeHint = 0) => memory.Span[Written..];
    }
}
