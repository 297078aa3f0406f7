namespace Cache.Tool.Migration;

/// <summary>The source gives this user no stream of commands.</summary>
internal sealed class SourceRefusal(string message) : Exception(message);
