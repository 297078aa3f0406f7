namespace Cache.Tool.Migration;

/// <summary>The connection to the source is lost; another one may go on.</summary>
internal sealed class LinkLost(string message) : Exception(message);
