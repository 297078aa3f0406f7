using System.Text;

namespace Cache.Core.Tests.Compression;

/// <summary>Values as caches hold them, made from a seed.</summary>
internal static class Corpus
{
    private static readonly string[] s_words =
    [
        "the", "quick", "order", "basket", "stone", "river", "paper", "often", "under", "seven", "green", "mother",
        "between", "country", "answer", "letter", "picture", "question", "summer", "garden", "window", "yellow",
    ];

    /// <summary>Some of everything, the empty value and one beyond every offset among them.</summary>
    public static IEnumerable<byte[]> Values(Random random)
    {
        yield return [];
        for (int length = 1; length <= 40; length++)
            yield return Runs(random, length);
        for (int i = 0; i < 20; i++)
        {
            yield return Json(random);
            yield return Html(random, random.Next(1, 12));
            yield return Noise(random, random.Next(1, 1500));
            yield return Runs(random, random.Next(1, 5000));
        }

        yield return Html(random, 400);
        yield return Runs(random, 300_000);
        yield return Noise(random, 70_000);
        yield return new byte[200_000];
        yield return FarRepetition(random, 65_535);
        yield return FarRepetition(random, 65_536);
    }

    /// <summary>A user, 130 to 190 bytes.</summary>
    public static byte[] Json(Random random) => Encoding.UTF8.GetBytes(
        $"{{\"id\":{random.Next(5_000_000)},\"name\":\"{Word(random)} {Word(random)}\","
        + $"\"email\":\"{Word(random)}.{Word(random)}{random.Next(100)}@example.com\","
        + $"\"active\":{(random.Next(4) == 0 ? "false" : "true")},"
        + $"\"created\":\"2024-{random.Next(1, 13):00}-{random.Next(1, 29):00}T{random.Next(24):00}:00:00Z\","
        + $"\"score\":{random.Next(10_000) / 100.0:F2}}}");

    public static byte[] Html(Random random, int items)
    {
        var page = new StringBuilder("<section class=\"product-list\">\n");
        for (; items > 0; items--)
        {
            int id = random.Next(100_000, 999_999);
            page.Append(
                $"  <article class=\"card\" id=\"p{id}\"><a href=\"/shop/{id}\"><img src=\"/img/{id}.webp\"></a>"
                + $"<h3>{Word(random)} {Word(random)}</h3><p>{Word(random)} {Word(random)}</p></article>\n");
        }

        return Encoding.UTF8.GetBytes(page.Append("</section>\n").ToString());
    }

    public static byte[] Noise(Random random, int length)
    {
        byte[] value = new byte[length];
        random.NextBytes(value);
        return value;
    }

    /// <summary>Runs of few letters, of every period up to 40: the matches that cover themselves.</summary>
    public static byte[] Runs(Random random, int length)
    {
        byte[] value = new byte[length];
        for (int at = 0; at < length;)
        {
            int period = random.Next(1, 41);
            int end = Math.Min(length, at + random.Next(1, 600));
            for (int i = at; i < end; i++)
                value[i] = i - at < period ? (byte)random.Next('a', 'h') : value[i - period];
            at = end;
        }

        return value;
    }

    /// <summary>Noise whose only repetition lies so far back.</summary>
    public static byte[] FarRepetition(Random random, int offset)
    {
        byte[] value = Noise(random, offset + 200);
        value.AsSpan(0, 150).CopyTo(value.AsSpan(offset));
        return value;
    }

    private static string Word(Random random) => s_words[random.Next(s_words.Length)];
}
