namespace Cache.Testing;

/// <summary>The failure of a random test, with the seed that repeats it.</summary>
internal sealed class SeededFailureException(string message, Exception failure) : Exception(message, failure);
