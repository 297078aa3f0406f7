namespace Cache.Reliability.Tests.Fuzz;

/// <summary>The server did what it must not.</summary>
internal sealed class FuzzFailureException(string message) : Exception(message);
