namespace Cache.Hosting.Configuration;

/// <summary>Errors in the configuration; the message has a line for each.</summary>
internal sealed class SettingException(params IEnumerable<string> problems) : Exception(string.Join('\n', problems));
