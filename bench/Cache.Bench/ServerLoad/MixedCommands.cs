namespace Cache.Bench.ServerLoad;

/// <summary>GET and SET in a given ratio, each drawn independently, of keys by a distribution.</summary>
internal sealed class MixedCommands : CommandSource
{
    private readonly long _keys;
    private readonly ZipfDistribution? _zipf;
    private readonly ulong _setBelow;
    private SplitMix _random;
    private long _left;

    /// <param name="options">The ratio, the keys, their distribution and the seed.</param>
    /// <param name="stream">Tells connections and rounds apart; the same seed and stream draw the same.</param>
    /// <param name="commands">How many commands to draw.</param>
    public MixedCommands(LoadOptions options, int stream, long commands)
    {
        _keys = options.Keys;
        _zipf = options.Zipf;
        double setShare = (double)options.SetShare / (options.GetShare + options.SetShare);
        _setBelow = setShare >= 1 ? ulong.MaxValue : (ulong)(setShare * Math.Pow(2, 64));
        _random = new SplitMix(SplitMix.Mix(options.Seed) ^ SplitMix.Mix((ulong)stream));
        _left = commands;
    }

    public override bool TryNext(out long id, out bool isSet)
    {
        isSet = _setBelow != 0 && _random.Next() < _setBelow;
        id = _zipf is null ? _random.NextBelow(_keys) : _zipf.Next(ref _random);
        return --_left >= 0;
    }
}
