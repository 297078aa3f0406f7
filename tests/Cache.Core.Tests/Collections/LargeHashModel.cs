using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Random operations on a few hashes that become large and small keys again, beside dictionaries.</summary>
internal static class LargeHashModel
{
    private const int Keys = 6;
    private const int Fields = 700;

    public static void Run(StoreFixture fixture, Random random, int operations)
    {
        var model = new Dictionary<string, Dictionary<string, string>>();
        for (int i = 0; i < operations; i++)
        {
            RunOne(fixture.Store, random, model);
            if (i % 5_000 == 0)
                fixture.Store.AssertValid();
        }

        for (int i = 0; i < Keys; i++)
            AssertSame(fixture.Store, model, KeyOf(i));
        Assert.Equal(model.Count, fixture.Store.Count);
    }

    private static string KeyOf(int number) => $"key:{number}";

    private static string FieldOf(int number) => $"f{number}" + new string('n', number % 50 == 0 ? 1_020 + number : 0);

    private static void RunOne(CacheStore store, Random random, Dictionary<string, Dictionary<string, string>> model)
    {
        string key = KeyOf(random.Next(Keys)), field = FieldOf(random.Next(Fields));
        var hash = store.Hash(Bytes(key));
        var fields = model.GetValueOrDefault(key) ?? [];
        switch (random.Next(2_000))
        {
            case < 1_000:
                string value = ValueOf(random);
                var set = hash.Set(Bytes(field), Bytes(value), SetCondition.Always, out bool isNew);
                Assert.Equal(WriteStatus.Done, set);
                Assert.Equal(!fields.ContainsKey(field), isNew);
                fields[field] = value;
                break;
            case < 1_500:
                var status = hash.Remove(Bytes(field));
                Assert.Equal(fields.Remove(field) ? WriteStatus.Done : WriteStatus.NotFound, status);
                break;
            case < 1_560:
                SetMany(hash, random, fields);
                break;
            case < 1_600:
                RemoveMany(hash, random, fields);
                break;
            case < 1_603:
                Assert.Equal(fields.Count > 0, store.Remove(Bytes(key)));
                fields.Clear();
                break;
            case < 1_610:
                CopyOrRename(store, random, model, key, fields);
                return;
            case < 1_990:
                Assert.Equal(fields.GetValueOrDefault(field), Get(store, key, field));
                break;
            default:
                AssertSame(store, model, key);
                break;
        }

        Keep(model, key, fields);
    }

    private static void Keep(
        Dictionary<string, Dictionary<string, string>> model, string key, Dictionary<string, string> fields)
    {
        if (fields.Count == 0)
            model.Remove(key);
        else
            model[key] = fields;
    }

    private static string ValueOf(Random random) =>
        new((char)random.Next('a', 'z'), random.Next(random.Next(200) switch { 0 => 20_000, < 6 => 2_000, _ => 40 }));

    private static void SetMany(HashKey hash, Random random, Dictionary<string, string> fields)
    {
        var pairs = new (byte[], byte[])[random.Next(1, 300)];
        int added = 0;
        for (int i = 0; i < pairs.Length; i++)
        {
            string field = FieldOf(random.Next(Fields)), value = ValueOf(random);
            added += fields.ContainsKey(field) ? 0 : 1;
            fields[field] = value;
            pairs[i] = (Bytes(field), Bytes(value));
        }

        var source = new EntryArray(pairs);
        Assert.Equal(WriteStatus.Done, hash.SetMany(ref source, out int told));
        Assert.Equal(added, told);
    }

    private static void RemoveMany(HashKey hash, Random random, Dictionary<string, string> fields)
    {
        byte[][] names = new byte[random.Next(1, 400)][];
        int removed = 0;
        for (int i = 0; i < names.Length; i++)
        {
            string field = FieldOf(random.Next(Fields));
            removed += fields.Remove(field) ? 1 : 0;
            names[i] = Bytes(field);
        }

        var source = new KeyArray(names);
        hash.RemoveMany(ref source, out int told);
        Assert.Equal(removed, told);
    }

    private static void CopyOrRename(
        CacheStore store, Random random, Dictionary<string, Dictionary<string, string>> model, string key,
        Dictionary<string, string> fields)
    {
        string other = KeyOf(random.Next(Keys));
        bool isCopied = random.Next(2) == 0;
        var status = isCopied
            ? store.Copy(Bytes(key), store, Bytes(other), SetCondition.Always)
            : store.Rename(Bytes(key), Bytes(other), SetCondition.Always);
        Assert.Equal(fields.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound, status);
        if (fields.Count == 0 || key == other)
            return;
        model[other] = new Dictionary<string, string>(fields);
        if (!isCopied)
            model.Remove(key);
    }

    private static string? Get(CacheStore store, string key, string field) =>
        store.Hash(Bytes(key)).GetArray(Bytes(field)) is { } value ? string.Concat(value.Select(b => (char)b)) : null;

    private static void AssertSame(
        CacheStore store, Dictionary<string, Dictionary<string, string>> model, string key)
    {
        var all = new FieldListSink();
        var status = store.Hash(Bytes(key)).GetAll(ref all);
        if (!model.TryGetValue(key, out var fields))
        {
            Assert.Equal(ReadStatus.NotFound, status);
            return;
        }

        Assert.Equal(fields.Count, all.Count);
        Assert.Equal(fields.Select(pair => (pair.Key, pair.Value)).Order(), all.Fields.Order());
    }
}
