using System.ComponentModel;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Cache.Core.Hybrid;

namespace Cache.Bench.Subjects;

/// <summary>Hits of hybrid caches, each kind as a loop over the keys, and the serializer alone.</summary>
internal sealed class HybridOperations(params IHybridSubject[] subjects)
{
    public const int Keys = 1_024;
    public const int Calls = 64 * Keys;
    public const int ArrayLength = 64;
    public const string Alone = "serializer alone";
    public const string ReadyObject = "object of an immutable type";
    public const string ReadyText = "string";
    public const string Array = "byte[] of 64";
    public const string Json = "record by JSON";

    private static readonly JsonTypeInfo<Row> _rowType =
        (JsonTypeInfo<Row>)JsonSerializerOptions.Default.GetTypeInfo(typeof(Row));

    private readonly string[] _priceKeys = KeysOf("price");
    private readonly string[] _textKeys = KeysOf("text:");
    private readonly string[] _arrayKeys = KeysOf("array");
    private readonly string[] _rowKeys = KeysOf("row::");
    private readonly byte[][] _json = [.. Enumerable.Range(0, Keys)
        .Select(static i => JsonSerializer.SerializeToUtf8Bytes(RowOf(i), _rowType))];

    public int JsonLength => _json[0].Length;

    /// <summary>Each kind of value, from each cache: what is returned, from where, and the loop.</summary>
    public IEnumerable<(string Kind, string From, Action Run)> All
    {
        get
        {
            foreach (var subject in subjects)
            {
                yield return (ReadyObject, subject.Name, () => Run<Price>(subject, _priceKeys));
                yield return (ReadyText, subject.Name, () => Run<string>(subject, _textKeys));
                yield return (Array, subject.Name, () => Run<byte[]>(subject, _arrayKeys));
                yield return (Json, subject.Name, () => Run<Row>(subject, _rowKeys));
            }

            yield return (Json, Alone, RunSerializer);
        }
    }

    public async Task FillAsync()
    {
        foreach (var subject in subjects)
        {
            for (int i = 0; i < Keys; i++)
            {
                await subject.SetAsync(_priceKeys[i], new Price("EUR", i));
                await subject.SetAsync(_textKeys[i], $"text {i}");
                await subject.SetAsync(_arrayKeys[i], new byte[ArrayLength]);
                await subject.SetAsync(_rowKeys[i], RowOf(i));
            }
        }
    }

    /// <summary>Whether each call of a kind gives an object of its own.</summary>
    public string Sharing(IHybridSubject subject) => string.Join(", ",
        Sharing<Price>(subject, ReadyObject, _priceKeys[0]),
        Sharing<byte[]>(subject, Array, _arrayKeys[0]),
        Sharing<Row>(subject, Json, _rowKeys[0]));

    private static string Sharing<T>(IHybridSubject subject, string kind, string key)
        where T : class =>
        $"{kind} {(ReferenceEquals(subject.Get<T>(key), subject.Get<T>(key)) ? "shared" : "own")}";

    private static string[] KeysOf(string prefix) =>
        [.. Enumerable.Range(0, Keys).Select(i => $"{prefix}:{i:D10}")];

    private static Row RowOf(int i) => new(i, $"customer {i}", "Example Street 1", 12.5 * i, i % 2 == 0);

    private static void Run<T>(IHybridSubject subject, string[] keys)
    {
        for (int i = 0; i < Calls; i += Keys)
        {
            if (subject.Read<T>(keys) != 0)
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

    [ImmutableObject(true)]
    private sealed record Price(string Currency, decimal Amount);

    private sealed record Row(int Id, string Name, string Address, double Balance, bool IsActive);
}
