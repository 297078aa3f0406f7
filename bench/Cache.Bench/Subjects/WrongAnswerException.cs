namespace Cache.Bench.Subjects;

/// <summary>What was measured answered wrongly: its figures mean nothing.</summary>
internal sealed class WrongAnswerException(string message) : Exception(message);
