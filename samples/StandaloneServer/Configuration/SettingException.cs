namespace StandaloneServer.Configuration;

/// <summary>A mistake in the configuration; the message is for the person who made it.</summary>
internal sealed class SettingException(string message) : Exception(message);
