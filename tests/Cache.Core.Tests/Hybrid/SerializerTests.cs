using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Core.Tests.Hybrid;

/// <summary>Which serializer a type gets.</summary>
public sealed class SerializerTests
{
    [Fact]
    public async Task JsonOptions_AreThoseOfTheCache()
    {
        using var fixture = new HybridFixture(o => o.JsonOptions = OrderContext.Default.Options);
        await fixture.Get("k", Order.Example());
        Assert.Contains("\"customer\":", Text(fixture, "k"), StringComparison.Ordinal);
        Assert.Equal(17, (await fixture.GetPresent<Order>("k")).Id);
    }

    [Fact]
    public async Task TypeWithoutContract_IsRefusedWithItsName()
    {
        using var fixture = new HybridFixture(o => o.JsonOptions = OrderContext.Default.Options);
        var refused = await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await fixture.Get("k", new OpenPrice("EUR")));
        Assert.StartsWith(
            "There is no serializer for Cache.Core.Tests.Hybrid.OpenPrice:", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Factories_AreAskedBeforeJson_TheLastOneFirst()
    {
        using var fixture = new HybridFixture(o =>
        {
            o.SerializerFactories.Add(new PriceFactory("first"));
            o.SerializerFactories.Add(new PriceFactory("last"));
        });
        await fixture.Get("k", new Price("EUR", 2));
        Assert.Equal("last:EUR:2", Text(fixture, "k"));
        Assert.Equal(new Price("EUR", 2), await fixture.GetPresent<Price>("k"));
        await fixture.Get("order", Order.Example());
        Assert.StartsWith("{", Text(fixture, "order"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task SerializerOfTheContainer_ComesFirst()
    {
        using var services = new ServiceCollection()
            .AddSingleton<IHybridCacheSerializer<Price>>(new PriceSerializer("container"))
            .BuildServiceProvider();
        using var fixture = new HybridFixture();
        var cache = new StoreHybridCache(
            fixture.Store, new() { SerializerFactories = { new PriceFactory("factory") } }, services);
        await cache.SetAsync("k", new Price("EUR", 2), cancellationToken: HybridFixture.Token);
        Assert.Equal("container:EUR:2", Text(fixture, "k"));
    }

    [Fact]
    public async Task BytesAndStrings_AreNeverSerialized()
    {
        using var services = new ServiceCollection()
            .AddSingleton<IHybridCacheSerializer<string>>(new Refusing<string>())
            .AddSingleton<IHybridCacheSerializer<byte[]>>(new Refusing<byte[]>())
            .BuildServiceProvider();
        using var fixture = new HybridFixture();
        var cache = new StoreHybridCache(fixture.Store, new(), services);
        await cache.SetAsync("text", "v", cancellationToken: HybridFixture.Token);
        await cache.SetAsync("bytes", new byte[] { 1 }, cancellationToken: HybridFixture.Token);
        Assert.Equal("v", await cache.GetOrCreateAsync("text", _ => ValueTask.FromResult("w")));
        Assert.Equal([1], await cache.GetOrCreateAsync("bytes", _ => ValueTask.FromResult(new byte[] { 2 })));
    }

    [Fact]
    public async Task SerializerThatThrows_LeavesTheValueToTheCallersOfItsFactory()
    {
        using var services = new ServiceCollection()
            .AddSingleton<IHybridCacheSerializer<Price>>(new Refusing<Price>())
            .BuildServiceProvider();
        using var fixture = new HybridFixture();
        var failures = new List<Exception>();
        var cache = new StoreHybridCache(fixture.Store, new() { OnFailure = failures.Add }, services);
        var made = new Price("EUR", 2);
        Assert.Same(made, await cache.GetOrCreateAsync("k", _ => ValueTask.FromResult(made)));
        Assert.IsType<NotSupportedException>(Assert.Single(failures));
        Assert.Equal(0, fixture.Store.Count);
        await Assert.ThrowsAsync<NotSupportedException>(async () => await cache.SetAsync("k", made));
    }

    [Fact]
    public async Task ConverterThatUsesTheCache_FindsAWriterOfItsOwn()
    {
        using var fixture = new HybridFixture();
        var options = new JsonSerializerOptions(JsonSerializerOptions.Default);
        options.Converters.Add(new CachingConverter(fixture));
        var cache = new StoreHybridCache(fixture.Store, new() { JsonOptions = options });
        for (int i = 0; i < 2; i++)
        {
            await cache.SetAsync(
                "k", new List<Price> { new("EUR", 1), new("USD", 2) }, cancellationToken: HybridFixture.Token);
            Assert.Equal("[\"EUR\",\"USD\"]", Text(fixture, "k"));
            Assert.Equal("17", Text(fixture, "inner").Substring(6, 2));
        }
    }

    private static string Text(HybridFixture fixture, string key) =>
        Encoding.UTF8.GetString(fixture.Store.GetArray(Encoding.UTF8.GetBytes(key))!);

    private sealed class PriceSerializer(string name) : IHybridCacheSerializer<Price>
    {
        public Price Deserialize(ReadOnlySequence<byte> source)
        {
            string[] parts = Encoding.UTF8.GetString(source).Split(':');
            return new Price(parts[1], int.Parse(parts[2]));
        }

        public void Serialize(Price value, IBufferWriter<byte> target) =>
            Encoding.UTF8.GetBytes($"{name}:{value.Currency}:{value.Amount}", target);
    }

    private sealed class PriceFactory(string name) : IHybridCacheSerializerFactory
    {
        public bool TryCreateSerializer<T>([NotNullWhen(true)] out IHybridCacheSerializer<T>? serializer)
        {
            serializer = new PriceSerializer(name) as IHybridCacheSerializer<T>;
            return serializer is not null;
        }
    }

    private sealed class Refusing<T> : IHybridCacheSerializer<T>
    {
        public T Deserialize(ReadOnlySequence<byte> source) => throw new NotSupportedException("read");

        public void Serialize(T value, IBufferWriter<byte> target) => throw new NotSupportedException("write");
    }

    private sealed class CachingConverter(HybridFixture fixture) : JsonConverter<Price>
    {
        public override Price Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
            new(reader.GetString()!, 0);

        public override void Write(Utf8JsonWriter writer, Price value, JsonSerializerOptions options)
        {
            Assert.True(fixture.Cache.SetAsync("inner", Order.Example()).IsCompletedSuccessfully);
            writer.WriteStringValue(value.Currency);
        }
    }
}

[JsonSerializable(typeof(Order))]
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
internal sealed partial class OrderContext : JsonSerializerContext;
