namespace Cache.Core.Tests.Model;

/// <summary>One command of a random sequence: plain numbers, from which everything else follows.</summary>
/// <param name="Kind">What is done.</param>
/// <param name="Key">The key, and its keyspace.</param>
/// <param name="Other">The second key of a rename or copy.</param>
/// <param name="Number">Picks what else there is to pick.</param>
/// <param name="Length">The length of a value, an offset, or milliseconds.</param>
internal readonly record struct StoreCommand(StoreCommandKind Kind, int Key, int Other, int Number, int Length)
{
    private static readonly long[] _integers =
        [0, 1, -1, 7, 10, 99, -100, 1_000_000_007, long.MaxValue, long.MaxValue - 1, long.MinValue, long.MinValue + 1];

    public SetCondition Condition => (Number % 8) switch
    {
        0 => SetCondition.IfAbsent,
        1 => SetCondition.IfPresent,
        _ => SetCondition.Always,
    };

    public ExpireConditions ExpireConditions => (ExpireConditions)(Number % 16);

    public long Integer => _integers[Number % _integers.Length];

    // Every fourth value is of zeros alone, which a store that forgets to clear would not notice otherwise.
    public byte[] Value
    {
        get
        {
            byte[] value = new byte[Length];
            for (int i = 0; i < value.Length && Number % 4 != 0; i++)
                value[i] = (byte)(Number + i * 7);
            return value;
        }
    }

    public override string ToString() => $"{Kind} key {Key} other {Other} number {Number} length {Length}";

    /// <summary>When the entry is to expire: mostly never, seldom in the past.</summary>
    public long ExpiresAtMs(long nowMs) => (Number / 8 % 8) switch
    {
        0 => nowMs - Number % 2,
        1 or 2 => nowMs + 1 + Number % 400,
        3 => nowMs + 10_000 + Number % 100_000,
        _ => 0,
    };

    public EntryOptions Options(long nowMs) => new()
    {
        Condition = Condition,
        ExpiresAtMs = ExpiresAtMs(nowMs),
        SlidingMs = Number / 64 % 4 == 0 ? 1 + Number % 250 : 0,
        KeepTtl = Number / 256 % 5 == 0,
    };
}
