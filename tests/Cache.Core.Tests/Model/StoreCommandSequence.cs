using FsCheck;
using FsCheck.Fluent;

namespace Cache.Core.Tests.Model;

/// <summary>A sequence of commands that FsCheck makes at random and, when it fails, makes shorter.</summary>
internal sealed class StoreCommandSequence(StoreCommand[] commands)
{
    private const int NumberMax = 100_000;

    private static readonly Gen<StoreCommandKind> _anyKind = Gen.Elements(Enum.GetValues<StoreCommandKind>());

    private static readonly Gen<StoreCommandKind> _growingKind =
        Gen.Elements(StoreCommandKind.Set, StoreCommandKind.SetAndGetPrevious, StoreCommandKind.Append);

    public StoreCommand[] Commands { get; } = commands;

    /// <summary>Sequences of all commands alike, over so many keys, with values up to a length.</summary>
    public static Arbitrary<StoreCommandSequence> OfAllKinds(int count, int keys, int lengthMax) =>
        Of(_anyKind, count, keys, lengthMax);

    /// <summary>Sequences in which half of the commands add to what the store holds.</summary>
    public static Arbitrary<StoreCommandSequence> MostlyGrowing(int count, int keys, int lengthMax) =>
        Of(Gen.OneOf(_anyKind, _growingKind), count, keys, lengthMax);

    public override string ToString() =>
        string.Concat(Commands.Select(static command => Environment.NewLine + "  " + command));

    private static Arbitrary<StoreCommandSequence> Of(
        Gen<StoreCommandKind> kinds, int count, int keys, int lengthMax)
    {
        var command =
            from kind in kinds
            from key in Gen.Choose(0, keys - 1)
            from other in Gen.Choose(0, keys - 1)
            from number in Gen.Choose(0, NumberMax)
            from length in Gen.OneOf(Gen.Choose(0, 40), Gen.Choose(0, lengthMax))
            select new StoreCommand(kind, key, other, number, length);
        return Arb.From(command.ArrayOf(count).Select(static all => new StoreCommandSequence(all)), Shrink);
    }

    // Without a half, a quarter ... of its commands; at last without a single one.
    private static IEnumerable<StoreCommandSequence> Shrink(StoreCommandSequence sequence)
    {
        var commands = sequence.Commands;
        for (int cut = commands.Length / 2; cut > 0; cut /= 2)
        {
            for (int start = 0; start < commands.Length; start += cut)
            {
                int end = Math.Min(commands.Length, start + cut);
                yield return new StoreCommandSequence([.. commands[..start], .. commands[end..]]);
            }
        }
    }
}
