namespace Cache.Server.Commands.Strings;

/// <summary>Adjacent bytes that two strings have in common: their begin in each, and their number.</summary>
internal readonly record struct CommonRange(int First, int Second, int Length);
