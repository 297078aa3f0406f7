using System.Globalization;
using Cache.Durability.Recovery;

namespace Cache.Tool;

/// <summary>A place at which a start refuses the files.</summary>
/// <param name="File">The file.</param>
/// <param name="Offset">The offset in it; −1 for the whole file.</param>
/// <param name="Problem">What is wrong, as words behind the file's name.</param>
/// <param name="IsSkippable">Whether a start that may skip damage reads the rest.</param>
internal sealed record Damage(string File, long Offset, string Problem, bool IsSkippable)
{
    public static Damage Of(RecoveryRefusedException failure)
    {
        string problem = failure.Message[(failure.File.Length + 1)..].TrimEnd('.');
        string place = string.Create(CultureInfo.InvariantCulture, $", at byte {failure.Offset}");
        return new Damage(
            failure.File, failure.Offset, failure.Offset < 0 ? problem : problem[..^place.Length], IsSkippable: false);
    }

    public static Damage Of(Gap gap) => new(
        gap.File,
        gap.Offset,
        gap.First == gap.Last
            ? string.Create(CultureInfo.InvariantCulture, $"lacks block {gap.First}, which was on the disk")
            : string.Create(
                CultureInfo.InvariantCulture, $"lacks blocks {gap.First} to {gap.Last}, which were on the disk"),
        IsSkippable: true);

    public override string ToString() => Offset < 0
        ? $"{File} {Problem}"
        : string.Create(CultureInfo.InvariantCulture, $"{File} {Problem}, at byte {Offset}");
}
