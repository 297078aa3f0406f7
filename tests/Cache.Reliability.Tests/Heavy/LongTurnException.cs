namespace Cache.Reliability.Tests.Heavy;

/// <summary>Something took longer than it may: a defect where the same seed shows it again.</summary>
internal sealed class LongTurnException(string message) : Exception(message);
