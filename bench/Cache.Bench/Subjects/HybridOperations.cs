using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;

namespace Cache.Bench.Subjects;

/// <summary>Hits of the hybrid cache, each kind as a loop over the keys, and the serializer alone.</summary>
internal sealed class HybridOperations(HybridCache cache)
{
    public const int Keys = 1_024;
    public const int Calls = 64 * Keys;
    public const int ArrayLength = 64;
    public const string JsonHit = "hit, record by JSON";
    public const string JsonAlone = "the same record, by the serializer alone";

    private static readonly JsonTypeInfo<Row> _rowType =
        (JsonTypeInfo<Row>)JsonSerializerOptions.Default.GetTypeInfo(typeof(Row));

    private readonly string[] _priceKeys = KeysOf("price");
    private readonly string[] _textKeys = KeysOf("text:");
    private readonly string[] _arrayKeys = KeysOf("array");
    private readonly string[] _rowKeys = KeysOf("row::");
    private readonly byte[][] _json = [.. Enumerable.Range(0, Keys)
        .Select(static i => JsonSerializer.SerializeToUtf8Bytes(RowOf(i), _rowType))];

    public int JsonLength => _json[0].Length;

    public (string Name, Action Run)[] All =>
    [
        ("hit, ready object", () => Run<Price>(_priceKeys)),
        ("hit, ready string", () => Run<string>(_textKeys)),
        ("hit, byte[]", () => Run<byte[]>(_arrayKeys)),
        (JsonHit, () => Run<Row>(_rowKeys)),
        (JsonAlone, RunSerializer),
    ];

    public async Task FillAsync()
    {
        for (int i = 0; i < Keys; i++)
        {
            await cache.SetAsync(_priceKeys[i], new Price("EUR", i));
            await cache.SetAsync(_textKeys[i], $"text {i}");
            await cache.SetAsync(_arrayKeys[i], new byte[ArrayLength]);
            await cache.SetAsync(_rowKeys[i], RowOf(i));
        }
    }

    private static string[] KeysOf(string prefix) =>
        [.. Enumerable.Range(0, Keys).Select(i => $"{prefix}:{i:D10}")];

    private static Row RowOf(int i) => new(i, $"customer {i}", "Example Street 1", 12.5 * i, i % 2 == 0);

    private void Run<T>(string[] keys)
    {
        Func<int, CancellationToken, ValueTask<T>> factory = static (_, _) => Missing<T>();
        for (int i = 0; i < Calls; i++)
        {
            var hit = cache.GetOrCreateAsync(keys[i & (Keys - 1)], 0, factory);
            if (!hit.IsCompletedSuccessfully || hit.Result is null)
                throw new WrongAnswerException("A stored value was not found.");
        }
    }

    private void RunSerializer()
    {
        for (int i = 0; i < Calls; i++)
        {
            if (JsonSerializer.Deserialize(_json[i & (Keys - 1)], _rowType) is null)
                throw new WrongAnswerException("The serializer gave nothing.");
        }
    }

    private static ValueTask<T> Missing<T>() =>
        throw new WrongAnswerException("A factory ran for a value that is stored.");

    [ImmutableObject(true)]
    private sealed record Price(string Currency, decimal Amount);

    private sealed record Row(int Id, string Name, string Address, double Balance, bool IsActive);
}
