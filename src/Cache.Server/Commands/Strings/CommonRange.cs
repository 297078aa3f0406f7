namespace Cache.Server.Commands.Strings;

/// <summary>Adjacent bytes that two strings have in common: where they begin in each, and how many they are.</summary>
internal readonly record struct CommonRange(int First, int Second, int Length);
