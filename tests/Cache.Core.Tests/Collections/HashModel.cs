using Cache.Core.Collections.Packed;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Random operations on some hashes, beside dictionaries.</summary>
internal static class HashModel
{
    private const int Keys = 30;

    public static void Run(StoreFixture fixture, Random random, int operations)
    {
        var model = new Dictionary<string, Dictionary<string, string>>();
        for (int i = 0; i < operations; i++)
        {
            string key = $"key:{random.Next(Keys)}";
            string field = $"f{random.Next(random.Next(2) == 0 ? 8 : 60)}";
            RunOne(fixture.Store, random, model, key, field);
        }

        for (int i = 0; i < Keys; i++)
            AssertSame(fixture.Store, model, $"key:{i}");
        Assert.Equal(model.Count, fixture.Store.Count);
    }

    private static void RunOne(
        CacheStore store, Random random, Dictionary<string, Dictionary<string, string>> model, string key, string field)
    {
        var hash = store.Hash(Bytes(key));
        var fields = model.GetValueOrDefault(key) ?? [];
        switch (random.Next(12))
        {
            case < 5:
                string value = new((char)random.Next('a', 'z'), random.Next(random.Next(20) == 0 ? 400 : 30));
                if (hash.Set(Bytes(field), Bytes(value)) == WriteStatus.Done)
                    fields[field] = value;
                break;
            case < 8:
                var status = hash.Remove(Bytes(field));
                Assert.Equal(fields.Remove(field) ? WriteStatus.Done : WriteStatus.NotFound, status);
                break;
            case 8:
                Assert.Equal(fields.Count > 0, store.Remove(Bytes(key)));
                fields.Clear();
                break;
            case 9:
                fields = Rename(store, random, model, key, fields);
                break;
            default:
                AssertSame(store, model, key);
                break;
        }

        if (fields.Count == 0)
            model.Remove(key);
        else
            model[key] = fields;
    }

    private static Dictionary<string, string> Rename(
        CacheStore store, Random random, Dictionary<string, Dictionary<string, string>> model, string key,
        Dictionary<string, string> fields)
    {
        string other = $"key:{random.Next(Keys)}";
        if (other == key || fields.Count == 0)
            return fields;
        Assert.Equal(WriteStatus.Done, store.Rename(Bytes(key), Bytes(other), SetCondition.Always));
        model[other] = fields;
        return [];
    }

    private static void AssertSame(
        CacheStore store, Dictionary<string, Dictionary<string, string>> model, string key)
    {
        var hash = store.Hash(Bytes(key));
        var fields = model.GetValueOrDefault(key) ?? [];
        Assert.Equal(fields.Count, hash.Count);
        var all = new FieldListSink();
        Assert.Equal(fields.Count == 0 ? ReadStatus.NotFound : ReadStatus.Found, hash.GetAll(ref all));
        Assert.Equal(fields, all.Fields.ToDictionary(static pair => pair.Field, static pair => pair.Value));
        foreach (var (field, value) in fields)
            Assert.Equal(Bytes(value), hash.GetArray(Bytes(field)));
        var stored = default(ArraySink);
        if (store.TryPeekStored(Bytes(key), ref stored, out _))
            Assert.True(PackedCheck.IsWhole(EntryKind.Hash, stored.Array));
    }
}
