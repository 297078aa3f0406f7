namespace Cache.Hosting.Configuration;

/// <summary>Mistakes in the configuration; the message, a line each, is for the person who made them.</summary>
internal sealed class SettingException(params IEnumerable<string> problems) : Exception(string.Join('\n', problems));
