namespace Cache.Bench.Subjects;

/// <summary>A pattern of value sizes: the same for ever, drifting with time, or one after the other.</summary>
internal sealed record ValueSizes(string Name, Func<Random, int, TimeSpan, int> Next)
{
    public const int LengthMax = 8 << 20;
    private const int LengthMin = 64;

    // Drifting sizes go through all of them in this time, phases change in it.
    private static readonly TimeSpan _period = TimeSpan.FromSeconds(1);

    public static readonly ValueSizes[] All =
    [
        Fixed("64 B", 64), Fixed("1 KB", 1 << 10), Fixed("4 KB", 4 << 10), Fixed("40 KB", 40_000),
        Fixed("100 KB", 100_000), Fixed("1 MB", 1 << 20), Fixed("8 MB", 8 << 20),
        new("drifting 64 B to 8 MB", static (random, _, time) =>
            Near(random, Between(LengthMin, LengthMax, Share(time)))),
        new("drifting 33 to 127 KB", static (random, _, time) => Near(random, Between(33_000, 127_000, Share(time)))),
        new("drifting 8 MB to 64 B", static (random, _, time) =>
            Near(random, Between(LengthMin, LengthMax, 1 - Share(time)))),
        new("cycled 64 B, 4 KB, 100 KB, 1 MB", static (_, i, _) => Cycle(i, 64, 4 << 10, 100_000, 1 << 20)),
        new("cycled 64 B to 8 MB", static (_, i, _) => Cycle(i, 64, 40_000, 300_000, 8 << 20)),
        new("phases of 100 B and 100 KB", static (random, _, time) =>
            (long)(time / _period) % 2 == 0 ? random.Next(64, 200) : random.Next(64_000, 128_000)),
        new("phases of 30 KB and 1 MB", static (random, _, time) =>
            (long)(time / _period) % 2 == 0 ? random.Next(20_000, 30_000) : random.Next(500_000, 1 << 20)),
        new("random 64 B to 8 MB", static (random, _, _) => Between(LengthMin, LengthMax, random.NextDouble())),
    ];

    public static ValueSizes Named(string name) => All.First(sizes => sizes.Name == name);

    private static ValueSizes Fixed(string size, int length) => new($"fixed {size}", (_, _, _) => length);

    private static double Share(TimeSpan time) => time / _period % 1;

    private static int Cycle(int i, params ReadOnlySpan<int> lengths) => lengths[i % lengths.Length];

    // As many of each power of two.
    private static int Between(int from, int to, double share) => (int)(from * Math.Pow((double)to / from, share));

    private static int Near(Random random, int length) => length - random.Next(length / 8);
}
