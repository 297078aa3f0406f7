namespace Cache.Core.Layout;

/// <summary>What a large list keeps in the place of a second tree; under its object's lock and version.</summary>
/// <param name="Change">
/// The number of its last change, which only grows: a journal's record has it too, and is made once.
/// </param>
/// <param name="Head">
/// Where its leftmost element is on a line without ends: one less with each push to the left, one more with each pop.
/// </param>
internal readonly record struct ListMarks(ulong Change, long Head);
