using System.Globalization;
using System.Text;

namespace Cache.Bench.Traces;

/// <summary>The JSON of a customer, of some 200 bytes, that follows from a number.</summary>
internal static class JsonValue
{
    private static readonly string[] _first =
        ["Ada", "Boris", "Chen", "Dunja", "Emil", "Fatima", "Goran", "Hana", "Ines", "Jakub", "Kenji", "Lena"];

    private static readonly string[] _last =
        ["Novak", "Okafor", "Petrov", "Quinn", "Rossi", "Sato", "Tanaka", "Ueda", "Varga", "Weber", "Xu", "Young"];

    private static readonly string[] _cities =
        ["Oslo", "Porto", "Riga", "Split", "Tartu", "Utrecht", "Vilnius", "Warsaw", "York", "Zagreb", "Bergen", "Cork"];

    /// <summary>Its length on average, for what memory it needs.</summary>
    public const int LengthMean = 208;

    public static byte[] Of(uint id)
    {
        var random = new SplitMix(id);
        string first = random.Next(_first);
        string last = random.Next(_last);
        return Encoding.UTF8.GetBytes(string.Create(
            CultureInfo.InvariantCulture,
            $"{{\"id\":{id},\"name\":\"{first} {last}\",\"email\":\"{first}.{last}{random.Next(1000)}@example.org\","
            + $"\"active\":{(random.Next(2) == 0 ? "true" : "false")},\"score\":{random.Next(10_000) / 100.0},"
            + $"\"address\":{{\"city\":\"{random.Next(_cities)}\",\"zip\":\"{random.Next(100_000):D5}\"}},"
            + $"\"orders\":{random.Next(500)},\"updated\":\"2026-{1 + random.Next(12):D2}-{1 + random.Next(28):D2}"
            + $"T{random.Next(24):D2}:{random.Next(60):D2}:{random.Next(60):D2}Z\"}}"));
    }

    private struct SplitMix(uint seed)
    {
        private ulong _state = seed;

        public int Next(int bound)
        {
            ulong word = _state += 0x9E3779B97F4A7C15;
            word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
            word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
            return (int)((word ^ (word >> 31)) % (ulong)bound);
        }

        public string Next(string[] words) => words[Next(words.Length)];
    }
}
