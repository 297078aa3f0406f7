using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Random operations on a few hashes whose fields expire, beside dictionaries and a clock of hand.</summary>
internal sealed class FieldExpiryModel(StoreFixture fixture, Random random, int fieldsMax, int valueMax)
{
    private const int Keys = 4;

    private readonly Dictionary<string, Dictionary<string, (string Value, long Moment)>> _hashes = [];

    private CacheStore Store => fixture.Store;

    private long Now => Store.NowUnixMs;

    public void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            RunOne(KeyOf(random.Next(Keys)));
            if (i % 4_000 == 0)
                Store.AssertValid();
        }

        fixture.Clock.Advance(TimeSpan.FromSeconds(1)); // The sweep.
        fixture.Clock.Advance(TimeSpan.FromSeconds(1));
        for (int i = 0; i < Keys; i++)
            AssertSame(KeyOf(i));
        Assert.Equal(Enumerable.Range(0, Keys).Count(i => Live(KeyOf(i)).Count > 0), Store.Count);
        Store.AssertValid();
    }

    private static string KeyOf(int number) => $"key:{number}";

    private string Field()
    {
        int number = random.Next(fieldsMax);
        return $"f{number}" + new string('n', number % 50 == 49 ? 1_500 : 0);
    }

    private string Value() =>
        new((char)random.Next('a', 'z'), random.Next(random.Next(60) == 0 ? valueMax : 30));

    private long Moment() => Now + random.Next(-5, 3_000);

    // What has not expired; the rest is forgotten.
    private Dictionary<string, (string Value, long Moment)> Live(string key)
    {
        if (!_hashes.TryGetValue(key, out var fields))
            _hashes[key] = fields = [];
        long now = Now;
        foreach (string name in fields.Where(f => f.Value.Moment != 0 && f.Value.Moment <= now).Select(f => f.Key))
            fields.Remove(name);
        return fields;
    }

    private void RunOne(string key)
    {
        var fields = Live(key);
        var hash = Store.Hash(Bytes(key));
        string field = Field();
        switch (random.Next(100))
        {
            case < 25:
                string value = Value();
                var set = hash.Set(Bytes(field), Bytes(value), SetCondition.Always, out bool isNew);
                Assert.Equal(WriteStatus.Done, set);
                Assert.Equal(!fields.ContainsKey(field), isNew);
                fields[field] = (value, 0);
                break;
            case < 45:
                ExpireMany(hash, fields);
                break;
            case < 50:
                Assert.Equal(
                    fields.TryGetValue(field, out var kept) && kept.Moment != 0
                        ? WriteStatus.Done
                        : WriteStatus.NotFound,
                    hash.Persist(Bytes(field)));
                if (fields.ContainsKey(field))
                    fields[field] = (kept.Value, 0);
                break;
            case < 58:
                TakeMany(hash, fields);
                break;
            case < 68:
                SetMany(hash, fields);
                break;
            case < 73:
                Increment(hash, fields);
                break;
            case < 80:
                Assert.Equal(
                    fields.Remove(field) ? WriteStatus.Done : WriteStatus.NotFound, hash.Remove(Bytes(field)));
                break;
            case < 83:
                CopyOrRename(key, fields);
                break;
            case < 85:
                fixture.Clock.Advance(TimeSpan.FromMilliseconds(random.Next(1, 400)));
                break;
            case < 96:
                AssertField(hash, fields, field);
                break;
            default:
                AssertSame(key);
                break;
        }
    }

    private void ExpireMany(HashKey hash, Dictionary<string, (string Value, long Moment)> fields)
    {
        string[] names = [.. Enumerable.Range(0, random.Next(1, random.Next(20) == 0 ? 200 : 4)).Select(_ => Field())];
        long moment = Math.Max(1, Moment());
        var conditions = random.Next(6) switch
        {
            0 => ExpireConditions.IfNone,
            1 => ExpireConditions.IfAny,
            2 => ExpireConditions.IfLater,
            3 => ExpireConditions.IfEarlier,
            _ => ExpireConditions.None,
        };
        var results = new FieldExpiryStatus[names.Length];
        var source = new KeyArray([.. names.Select(Bytes)]);
        var status = hash.ExpireMany(ref source, moment, conditions, results);
        var expected = names.Select(name => Expire(fields, name, moment, conditions)).ToArray();
        Assert.Equal(expected, results);
        bool isAny = expected.Any(r => r is FieldExpiryStatus.Done or FieldExpiryStatus.Removed);
        Assert.Equal(isAny ? WriteStatus.Done : WriteStatus.ConditionNotMet, status);
    }

    private FieldExpiryStatus Expire(
        Dictionary<string, (string Value, long Moment)> fields, string name, long moment, ExpireConditions conditions)
    {
        if (!fields.TryGetValue(name, out var field))
            return FieldExpiryStatus.NotFound;
        bool isMet = conditions switch
        {
            ExpireConditions.IfNone => field.Moment == 0,
            ExpireConditions.IfAny => field.Moment != 0,
            ExpireConditions.IfLater => field.Moment != 0 && moment > field.Moment,
            ExpireConditions.IfEarlier => field.Moment == 0 || moment < field.Moment,
            _ => true,
        };
        if (!isMet)
            return FieldExpiryStatus.ConditionNotMet;
        if (moment <= Now)
        {
            fields.Remove(name);
            return FieldExpiryStatus.Removed;
        }

        fields[name] = (field.Value, moment);
        return FieldExpiryStatus.Done;
    }

    private void TakeMany(HashKey hash, Dictionary<string, (string Value, long Moment)> fields)
    {
        string[] names = [.. Enumerable.Range(0, random.Next(1, random.Next(20) == 0 ? 200 : 4)).Select(_ => Field())];
        var source = new KeyArray([.. names.Select(Bytes)]);
        var sink = new ValueListSink();
        bool removes = random.Next(2) == 0;
        long moment = random.Next(3) == 0 ? 0 : Math.Max(1, Moment());
        if (removes)
            hash.GetAndRemove(ref source, ref sink);
        else
            hash.GetAndExpire(ref source, moment, ref sink);
        var expected = new List<string?>();
        foreach (string name in names)
        {
            bool exists = fields.TryGetValue(name, out var field);
            expected.Add(exists ? field.Value : null);
            if (exists && (removes || (moment != 0 && moment <= Now)))
                fields.Remove(name);
            else if (exists)
                fields[name] = (field.Value, moment);
        }

        Assert.Equal(expected, sink.Values.Select(v => v is null ? null : string.Concat(v.Select(b => (char)b))));
    }

    private void SetMany(HashKey hash, Dictionary<string, (string Value, long Moment)> fields)
    {
        var pairs = new (string Name, string Value)[random.Next(1, random.Next(20) == 0 ? 200 : 4)];
        for (int i = 0; i < pairs.Length; i++)
            pairs[i] = (Field(), Value());
        var options = new FieldOptions
        {
            Condition = (SetCondition)random.Next(3),
            KeepsExpiry = random.Next(3) == 0,
        };
        if (!options.KeepsExpiry && random.Next(4) != 0)
            options = options with { ExpiresAtUnixMs = Math.Max(1, Moment()) };
        var source = new EntryArray([.. pairs.Select(p => (Bytes(p.Name), Bytes(p.Value)))]);
        var status = hash.SetMany(ref source, options);
        bool isMet = options.Condition switch
        {
            SetCondition.IfAbsent => !pairs.Any(p => fields.ContainsKey(p.Name)),
            SetCondition.IfPresent => pairs.All(p => fields.ContainsKey(p.Name)),
            _ => true,
        };
        Assert.Equal(isMet ? WriteStatus.Done : WriteStatus.ConditionNotMet, status);
        foreach (var (name, value) in isMet ? pairs : [])
        {
            long moment = options.KeepsExpiry ? fields.GetValueOrDefault(name).Moment : options.ExpiresAtUnixMs;
            fields[name] = (value, moment);
            if (moment != 0 && moment <= Now)
                fields.Remove(name);
        }
    }

    private void Increment(HashKey hash, Dictionary<string, (string Value, long Moment)> fields)
    {
        string name = Field();
        bool exists = fields.TryGetValue(name, out var field);
        bool isNumber = long.TryParse(field.Value, out long number) || !exists;
        var status = hash.Increment(Bytes(name), 3, out long sum);
        Assert.Equal(isNumber ? WriteStatus.Done : WriteStatus.NotAnInteger, status);
        if (!isNumber)
            return;
        Assert.Equal(number + 3, sum);
        fields[name] = ($"{sum}", field.Moment);
    }

    private void CopyOrRename(string key, Dictionary<string, (string Value, long Moment)> fields)
    {
        string other = KeyOf(random.Next(Keys));
        bool isCopied = random.Next(2) == 0;
        if (key == other || fields.Count == 0)
            return;
        var status = isCopied
            ? Store.Copy(Bytes(key), Store, Bytes(other), SetCondition.Always)
            : Store.Rename(Bytes(key), Bytes(other), SetCondition.Always);
        Assert.Equal(WriteStatus.Done, status);
        _hashes[other] = new(fields);
        if (!isCopied)
            _hashes.Remove(key);
    }

    private static void AssertField(
        HashKey hash, Dictionary<string, (string Value, long Moment)> fields, string field)
    {
        bool exists = fields.TryGetValue(field, out var expected);
        Assert.Equal(exists ? Bytes(expected.Value) : null, hash.GetArray(Bytes(field)));
        Assert.Equal(exists, hash.Contains(Bytes(field)));
        Assert.Equal(exists ? ReadStatus.Found : ReadStatus.NotFound, hash.GetExpiry(Bytes(field), out long moment));
        Assert.Equal(expected.Moment, moment);
    }

    private void AssertSame(string key)
    {
        var fields = Live(key);
        var hash = Store.Hash(Bytes(key));
        Assert.Equal(fields.Count, hash.Count);
        var all = new FieldListSink();
        Assert.Equal(fields.Count == 0 ? ReadStatus.NotFound : ReadStatus.Found, hash.GetAll(ref all));
        var expected = fields.Select(f => (f.Key, f.Value.Value)).Order().ToArray();
        Assert.Equal(expected, all.Fields.Order());
        Assert.Equal(fields.Count == 0 ? -1 : fields.Count, all.Count);
        var scanned = new List<(string, string)>();
        ulong cursor = 0;
        do
        {
            var step = new FieldListSink();
            hash.Scan(ref cursor, 10, ref step);
            Assert.Equal(Math.Max(0, step.Count), step.Fields.Count);
            scanned.AddRange(step.Fields);
        }
        while (cursor != 0);
        Assert.Equal(expected, scanned.Distinct().Order());
        AssertRandom(hash, fields);
    }

    private void AssertRandom(HashKey hash, Dictionary<string, (string Value, long Moment)> fields)
    {
        var some = new FieldListSink();
        int count = random.Next(1, 6);
        bool mayRepeat = random.Next(2) == 0;
        hash.GetRandom(count, mayRepeat, ref some);
        Assert.Equal(fields.Count == 0 ? 0 : mayRepeat ? count : Math.Min(count, fields.Count), some.Fields.Count);
        Assert.All(some.Fields, field => Assert.Equal(fields[field.Field].Value, field.Value));
        if (!mayRepeat)
            Assert.Equal(some.Fields.Count, some.Fields.Distinct().Count());
    }
}
